"""`cudamaster verify`: a stored record holds, and any changed byte of it or of its kernel is found."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cudamaster.cli.boundary import exit_code_of
from cudamaster.cli.verify import Progress
from cudamaster.store.results import digest_of, sealed
from mskernelbench.operator import Precision
from mskernelbench.operators.relu.spec import OPERATOR
from mskernelbench.referee import Referee
from mskernelbench.shapes import parse_shape

pytestmark = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")

Output = pytest.CaptureFixture[str]
Record = dict[str, Any]
SHAPE = "N=5000"
KERNEL = OPERATOR.baseline(Precision.FP32).replace("threads = 256", "threads = 128")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a kernel and its record, as a run stores them."""
    from cudamaster.search.evidence import clock_version, versions
    from cudamaster.toolchain.catalog import open_device
    from cudamaster.toolchain.digests import digests

    device = open_device("virtual:h200")
    referee = Referee(device, OPERATOR, Precision.FP32, seed=1, shapes=[parse_shape(OPERATOR, SHAPE)])
    evaluation, build = referee.evaluate(KERNEL), referee.built(KERNEL)
    assert build is not None
    record = {
        "schema": "cudamaster.record/1", "operator": "relu", "precision": "fp32",
        "entry": evaluation.entry, "device": "virtual:h200", "clock": "modelled",
        "clock_version": clock_version(device), "kernel_sha256": digest_of(KERNEL),
        "baseline_sha256": digest_of(OPERATOR.baseline(Precision.FP32)), **digests(build),
        "evaluation": evaluation.document(), "settings": {"shapes": [SHAPE], "matrices": []},
        "lesson": "none", "versions": dict(versions()),
    }  # fmt: skip
    device.close()
    folder = tmp_path_factory.mktemp("record")
    (folder / "kernel.cu").write_text(KERNEL)
    (folder / "record.json").write_text(json.dumps(sealed(record)))
    return folder


def verified(folder: Path, capsys: Output, *options: str) -> tuple[int, list[str]]:
    code = exit_code_of(["verify", str(folder), "--json", *options])
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "cudamaster.verification/1"
    assert document["holds"] is (code == 0)
    return code, document["records"][0]["differences"]


def changed(made: Path, folder: Path, change: Callable[[Record], None], *, seal: bool) -> Path:
    """A copy of the pair whose record is changed, and sealed again by a forger."""
    shutil.copytree(made, folder, dirs_exist_ok=True)
    record = json.loads((folder / "record.json").read_text())
    change(record)
    (folder / "record.json").write_text(json.dumps(sealed(record) if seal else record))
    return folder


def test_what_was_stored_holds(made: Path, capsys: Output) -> None:
    assert verified(made / "record.json", capsys) == (0, [])


def test_a_changed_kernel_is_found(made: Path, tmp_path: Path, capsys: Output) -> None:
    folder = changed(made, tmp_path, lambda record: None, seal=False)
    (folder / "kernel.cu").write_text(KERNEL.replace("128", "129"))
    code, differences = verified(folder, capsys)
    assert code == 1
    assert "kernel.cu" in differences[0]


def test_a_changed_word_breaks_the_seal(made: Path, tmp_path: Path, capsys: Output) -> None:
    folder = changed(made, tmp_path, lambda record: record.update(lesson="another"), seal=False)
    code, differences = verified(folder, capsys, "--on-paper")
    assert code == 1
    assert "record_sha256" in differences[0]


def _faster(record: Record) -> None:
    record["evaluation"]["speedup"]["geomean"] *= 2


def _faster_row(record: Record) -> None:
    row = next(row for row in record["evaluation"]["workloads"] if "speedup" in row)
    row["speedup"]["median"] *= 2


def test_figures_that_do_not_follow_from_others_are_found_on_paper(
    made: Path, tmp_path: Path, capsys: Output
) -> None:
    code, differences = verified(changed(made, tmp_path, _faster, seal=True), capsys, "--on-paper")
    assert code == 1
    assert "speedup.geomean" in differences[0]
    code, differences = verified(changed(made, tmp_path, _faster_row, seal=True), capsys, "--on-paper")
    assert code == 1
    assert any("divided by its candidate_ms" in words for words in differences)


def _all_faster(record: Record) -> None:
    """A forger who keeps the arithmetic right."""
    evaluation = record["evaluation"]
    for row in evaluation["workloads"]:
        if "speedup" in row:
            row["candidate_ms"] /= 4
            row["speedup"] = {"median": row["baseline_ms"] / row["candidate_ms"]}
            row["speedup"] |= {"low": row["speedup"]["median"], "high": row["speedup"]["median"]}
            ratio = row["speedup"]["median"]
    evaluation["speedup"] = {"geomean": ratio, "low": ratio, "high": ratio}


def _less_error(record: Record) -> None:
    record["evaluation"]["workloads"][0]["error_ratio"] = 0.125


def _other_code(record: Record) -> None:
    record["ptx_sha256"] = record["object_sha256"] = "0" * 64


@pytest.mark.parametrize(
    ("change", "named"),
    [(_all_faster, "candidate_ms"), (_less_error, "error_ratio"), (_other_code, "ptx_sha256")],
)
def test_a_forger_who_seals_again_is_found_when_the_kernel_is_judged(
    made: Path, tmp_path: Path, capsys: Output, change: Callable[[Record], None], named: str
) -> None:
    folder = changed(made, tmp_path, change, seal=True)
    assert verified(folder, capsys, "--on-paper") == (0, [])
    code, differences = verified(folder, capsys)
    assert code == 1
    assert any(named in words for words in differences)


def test_a_folder_without_records_is_told(tmp_path: Path, capsys: Output) -> None:
    assert exit_code_of(["verify", str(tmp_path)]) == 2
    assert "record.json" in capsys.readouterr().err


def test_a_kernel_in_the_place_of_its_record_is_told_what_to_give(made: Path, capsys: Output) -> None:
    assert exit_code_of(["verify", str(made / "kernel.cu")]) == 2
    assert "kernel.cu is no record: give its record.json, the folder" in capsys.readouterr().err


def test_results_that_are_not_there_are_said_to_be_missing(tmp_path: Path, capsys: Output) -> None:
    assert exit_code_of(["verify", str(tmp_path / "results")]) == 2
    assert "results does not exist: 'cudamaster optimize' stores" in capsys.readouterr().err


def test_each_record_is_told_before_the_next_is_looked_at(made: Path, tmp_path: Path, capsys: Output) -> None:
    shutil.copytree(made, tmp_path / "a")
    changed(made, tmp_path / "b", lambda record: record.update(settings=None), seal=True)

    assert exit_code_of(["verify", str(tmp_path), "--on-paper"]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if "holds" in line] == [
        f"holds: {tmp_path / 'a' / 'record.json'}",
        f"holds: {tmp_path / 'b' / 'record.json'}",
    ]
    assert exit_code_of(["verify", str(tmp_path)]) == 2
    assert capsys.readouterr().out.startswith(f"holds: {tmp_path / 'a' / 'record.json'}")


@pytest.mark.parametrize("name", ["geomean", "low", "high"])
def test_a_record_whose_speedup_is_no_number_is_broken(
    name: str, made: Path, tmp_path: Path, capsys: Output
) -> None:
    changed(made, tmp_path / "a", lambda r: r["evaluation"]["speedup"].update({name: 10**400}), seal=True)

    assert exit_code_of(["verify", str(tmp_path)]) == 3
    assert "record.json cannot be right" in capsys.readouterr().err


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.update(operator=None),
        lambda record: record.update(versions={}),
        lambda record: record.update(settings=None),
        lambda record: record.update(entry=""),
        lambda record: record["evaluation"].pop("seed"),
    ],
)
def test_a_record_that_does_not_say_how_it_is_judged_is_one_sentence(
    change: Callable[[Record], None], made: Path, tmp_path: Path, capsys: Output
) -> None:
    folder = changed(made, tmp_path, change, seal=True)
    assert exit_code_of(["verify", str(folder)]) == 2
    assert "record.json cannot be right" in capsys.readouterr().err


def test_a_kernel_that_is_no_text_differs(made: Path, tmp_path: Path, capsys: Output) -> None:
    folder = changed(made, tmp_path, lambda record: None, seal=False)
    (folder / "kernel.cu").write_bytes(b"\xff")
    code, differences = verified(folder, capsys, "--on-paper")
    assert code == 1
    assert "kernel.cu is not the source" in differences[0]


OWN_SPEC = """from dataclasses import replace
from pathlib import Path

from mskernelbench.operator import Precision
from mskernelbench.operators.relu.spec import OPERATOR as RELU

OPERATOR = replace(
    RELU,
    name="my_relu",
    symbol="MY_RELU",
    aliases=(),
    folder=Path(__file__).parent,
    baselines={Precision.FP32: Path(__file__).parent / "mine.cu"},
)
"""


def own_record(made: Path, folder: Path) -> Path:
    """A copy of the pair, said to be of an operator of one's own, over `own_baseline`."""
    named = {"operator": "my_relu", "baseline_sha256": digest_of(own_baseline())}
    return changed(made, folder, lambda record: record.update(named), seal=True)


def own_baseline() -> str:
    return OPERATOR.baseline(Precision.FP32).replace("RELU(", "MY_RELU(")


def test_an_own_operator_leaves_the_other_records_to_be_judged(
    made: Path, tmp_path: Path, capsys: Output
) -> None:
    own = own_record(made, tmp_path / "a") / "record.json"
    shutil.copytree(made, tmp_path / "b")

    assert exit_code_of(["verify", str(tmp_path), "--on-paper", "--json"]) == 0
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert [one["record"] for one in document["records"]] == [str(tmp_path / "b" / "record.json")]
    assert [one["record"] for one in document["not_judged"]] == [str(own)]
    (line,) = [line for line in told.err.splitlines() if line.startswith("not judged")]
    assert f"'cudamaster verify {own} --spec FILE.py'" in line


def test_an_own_operator_s_record_named_alone_is_told_how_it_is_verified(
    made: Path, tmp_path: Path, capsys: Output
) -> None:
    own = own_record(made, tmp_path) / "record.json"
    assert exit_code_of(["verify", str(own), "--on-paper"]) == 2
    assert "'my_relu' is none of the benchmark's operators" in capsys.readouterr().err


def test_a_record_whose_operator_was_renamed_by_hand_differs(
    made: Path, tmp_path: Path, capsys: Output
) -> None:
    folder = changed(made, tmp_path, lambda record: record.update(operator="my_relu"), seal=False)
    code, differences = verified(folder, capsys, "--on-paper")
    assert code == 1
    assert "changed after it was sealed" in differences[0]


def test_an_own_operator_s_record_holds_with_its_spec(made: Path, tmp_path: Path, capsys: Output) -> None:
    folder, spec = own_record(made, tmp_path / "a"), tmp_path / "my_op.py"
    spec.write_text(OWN_SPEC)
    (tmp_path / "mine.cu").write_text(own_baseline())
    assert verified(folder, capsys, "--on-paper", "--spec", str(spec)) == (0, [])


def test_how_long_the_rest_takes_is_estimated_by_what_is_done() -> None:
    times = iter([0.0, 60.0, 90.0])
    progress = Progress(lambda: next(times))

    assert "some seconds to minutes" in progress.words(0, 3)
    assert progress.words(1, 3) == ", about 2 min left"
    assert progress.words(2, 3) == ", less than a minute left"


def test_of_several_records_each_is_counted(made: Path, tmp_path: Path, capsys: Output) -> None:
    for name in ("one", "two"):
        shutil.copytree(made, tmp_path / name)
    assert exit_code_of(["verify", str(tmp_path), "--on-paper"]) == 0
    told = capsys.readouterr().err
    assert "record     1 of 2: " in told
    assert "record     2 of 2: " in told
