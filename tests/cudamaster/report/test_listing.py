from io import StringIO

from rich.console import Console

from cudamaster.report.listing import devices_document, operators_document, run_row, runs_table
from cudamaster.toolchain.listing import ListedDevice
from cudamaster.toolchain.timing import Clock
from mskernelbench.operators.matrix_mul.spec import OPERATOR


def test_an_operator_is_told_with_both_entries_and_its_sets() -> None:
    (row,) = operators_document([OPERATOR])["operators"]

    assert row["name"] == "matrix_mul"
    assert row["entries"]["bf16"].startswith('extern "C" void matrix_mul_bf16(')
    assert set(row["workloads"]) == {"check", "paper", "real"}


def test_a_device_says_what_is_lacking_only_where_something_is() -> None:
    usable = ListedDevice("virtual:h200", "the virtual H200", Clock.MODELLED, lacks=None)
    lacking = ListedDevice("cuda", "an NVIDIA GPU", Clock.MEASURED, lacks="no driver")
    rows = devices_document([usable, lacking])["devices"]

    assert rows[0] == {
        "name": "virtual:h200",
        "title": "the virtual H200",
        "clock": "modelled",
        "usable": True,
    }
    assert (rows[1]["usable"], rows[1]["lacks"]) == (False, "no driver")


def test_a_run_without_events_is_unfinished_and_has_no_figures() -> None:
    row = run_row("r", [])

    assert (row["state"], row["rounds"]) == ("unfinished", 0)
    assert "speedup_low" not in row


def test_a_run_s_name_is_whole_at_80_columns_beside_operator_and_precision() -> None:
    name = "20261130-154804-softmax_attention-bf16-9213"
    row = {
        "run": name,
        "operator": "softmax_attention",
        "precision": "bf16",
        "state": "finished",
        "rounds": 3,
    }
    console = Console(width=80, file=StringIO())
    console.print(runs_table([row | {"speedup_low": 12.34}]))
    text = console.file.getvalue()  # type: ignore[attr-defined]

    assert name in text
    assert "12.34x" in text
    assert text.count("bf16") == 2
