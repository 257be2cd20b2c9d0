from io import StringIO

from rich.console import Console

from cudamaster.report.evaluation import (
    host_calls_line,
    vendor_line,
    verdict_lines,
    workload_rows,
    workload_table,
)
from cudamaster.toolchain.profile import KernelProfile, Launch, Profile
from cudamaster.toolchain.timing import Clock
from mskernelbench.evaluation import Evaluation, Interval, Status, Vendor, WorkloadResult


def evaluation(status: Status, **figures: object) -> Evaluation:
    head = ("relu", "fp32", "RELU", "virtual:h200", "modelled")
    return Evaluation(*head, status=status, reason="why", seed=0, **figures)  # type: ignore[arg-type]


def test_a_refused_kernel_has_a_reason_and_no_figures() -> None:
    assert verdict_lines(evaluation(Status.WRONG)) == ["wrong: why"]


def test_a_cheat_names_its_guard() -> None:
    assert verdict_lines(evaluation(Status.CHEATED, guard="clock_reads"))[1] == "guard clock_reads"


def test_a_correct_kernel_has_every_figure() -> None:
    lines = verdict_lines(
        evaluation(Status.CORRECT, speedup=Interval(2, 2, 2), paper_score=2.5, attainment=0.5)
    )

    assert lines == [
        "correct: why",
        "speedup 2.00x, modelled (not measured on a GPU)",
        "paper score 2.50",
        "attainment 50.0 % of the roofline",
    ]


def test_a_correct_kernel_that_is_slower_is_warned_of_under_its_speedup() -> None:
    lines = verdict_lines(evaluation(Status.CORRECT, speedup=Interval(0.5, 0.5, 0.5)))

    assert lines[1:3] == [
        "speedup 0.50x, modelled (not measured on a GPU)",
        "warning: slower than the baseline",
    ]


def test_brackets_are_explained_where_some_figure_has_them_and_not_elsewhere() -> None:
    unsure, sure = Interval(1.05, 1.0, 1.05), Interval(2, 2, 2)
    row = WorkloadResult("real", {"N": 8}, 0.5, 1.0, 1.0, unsure, 0.1, "memory")
    overall = verdict_lines(evaluation(Status.CORRECT, speedup=unsure))
    one = verdict_lines(evaluation(Status.CORRECT, speedup=sure, workloads=(row,)))

    legend = "[low, high]: from the modelled ratio to 1; the time model tells no difference under 10 %"
    assert overall[-1] == one[-1] == legend
    assert legend not in verdict_lines(evaluation(Status.CORRECT, speedup=sure))


def kernel(name: str, milliseconds: float, symbol: str = "") -> KernelProfile:
    return KernelProfile(
        name, Launch((1, 1, 1), (1, 1, 1), 0), 1, milliseconds, {}, "latency", "", (), symbol
    )


def test_host_calls_are_named_above_a_fifth_of_the_time_and_copies_on_the_device_are_none() -> None:
    much = Profile(Clock.MODELLED, (kernel("k", 0.6, "k"), kernel("cudaMalloc", 0.3), kernel("memset", 0.1)))
    little = Profile(
        Clock.MODELLED, (kernel("k", 0.6, "k"), kernel("memset", 0.3), kernel("cudaMalloc", 0.1))
    )

    assert host_calls_line(much, {"N": 8}, None) == (
        "host calls take 30 % of the modelled time on N=8: cudaMalloc 300 us"
    )
    assert host_calls_line(little, {"N": 8}, None) == ""


def test_the_vendors_own_answer_stands_beside_the_speedup_or_is_said_to_be_missing() -> None:
    ahead, absent = Vendor("CUB 3.0.1", Interval(1.2, 1.2, 1.2)), Vendor("cuBLAS", lacks="not installed")

    assert vendor_line(ahead) == "1.20x over CUB 3.0.1, the vendor's own"
    assert vendor_line(absent) == "not compared with cuBLAS, the vendor's own: not installed"
    both = evaluation(Status.CORRECT, speedup=Interval(2, 2, 2), vendor=ahead)
    assert verdict_lines(both)[-1] == vendor_line(ahead)
    assert both.document()["vendor"] == {
        "library": "CUB 3.0.1",
        "speedup": {"geomean": 1.2, "low": 1.2, "high": 1.2},
    }
    assert "vendor" not in evaluation(Status.CORRECT).document()


def test_a_row_leaves_figures_blank_that_do_not_exist() -> None:
    checked = evaluation(Status.WRONG, workloads=(WorkloadResult("check", {"N": 7}, error_ratio=3.25),))

    assert workload_rows(checked) == [("check", "N=7", "3.250", *[""] * 8)]


def printed(table: object, width: int = 80) -> str:
    console = Console(width=width, file=StringIO())
    console.print(table)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_at_80_columns_no_number_and_no_shape_is_cut() -> None:
    row = WorkloadResult(
        "real",
        {"rows": 10218313, "cols": 10218313, "nnz": 71251041},
        0.123,
        12.3456,
        23.4567,
        Interval(0.53, 0.53, 0.53),
        0.123,
        "memory",
        9,
        "poisson7",
    )
    text = printed(workload_table(evaluation(Status.CORRECT, workloads=(row, row))))

    for whole in ("rows=10218313", "nnz=71251041", "poisson7", "12.35", "23.46", "0.53x", "12.3 %", "memory"):
        assert text.count(whole) == 2
    assert "…" not in text


def test_columns_that_no_workload_fills_are_left_out() -> None:
    checked = evaluation(Status.WRONG, workloads=(WorkloadResult("check", {"N": 7}, error_ratio=3.25),))

    assert "speedup" not in printed(workload_table(checked))


def test_a_gain_that_is_not_proved_says_what_it_counts_as() -> None:
    gain = Interval(4.0, 4.0, 4.0)
    rows = tuple(
        WorkloadResult("paper", {"N": n}, baseline_ms=4.0, candidate_ms=1.0, speedup=gain, counted=n == 1)
        for n in (1, 2)
    )
    cells = workload_rows(evaluation(Status.CORRECT, speedup=gain, workloads=rows))
    assert [(row[5], row[-1]) for row in cells] == [("4.00x", ""), ("4.00x", "counts as 1.00x")]
