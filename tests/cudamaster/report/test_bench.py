from cudamaster.bench.score import TaskStatus
from cudamaster.report.bench import WORDS, closing_line, kept_line, task_line


def test_every_status_has_words() -> None:
    assert list(WORDS) == [str(status) for status in TaskStatus]


def test_a_tie_is_called_one() -> None:
    speedup = {"geomean": 1.04, "low": 1.0, "high": 1.04}
    evaluation = {"speedup": speedup, "clock": "modelled", "attainment": 0.5}
    row = {
        "operator": "relu",
        "precision": "bf16",
        "status": "tied",
        "evaluation": evaluation,
        "minutes": 2.04,
    }
    line = "[  7/100] relu bf16: 1.04x modelled, as fast as the baseline as far as can be told, "
    assert task_line(row, 7, 100) == f"{line}50.0 % of the roofline, 2.0 min"


def test_the_end_says_what_is_left() -> None:
    rows = [{"status": "faster"}, {"status": "no_gain"}, {"status": "faster"}]
    assert closing_line(rows, "b.json") == "3 tasks: 2 faster, 1 no gain; in b.json"
    left = "; the same command goes on with the 2 that are left"
    rows = [{"status": "pending"}, {"status": "broken"}]
    assert closing_line(rows, "b.json") == f"2 tasks: 1 broken, 1 pending; in b.json{left}"


def test_a_task_for_which_nobody_wrote_a_kernel_is_not_told_as_if_all_were_wrong() -> None:
    row = {"operator": "relu", "precision": "bf16", "status": "failed", "candidates": 0}
    assert task_line(row, 1, 2) == "[1/2] relu bf16: nobody wrote a kernel"
    assert task_line(row | {"candidates": 3}, 1, 2) == "[1/2] relu bf16: no candidate was right"


def test_the_place_of_the_best_kernels_comes_with_a_command_that_can_be_pasted() -> None:
    assert "'cudamaster verify /r/results'" in kept_line("/r/results")
    assert "cudamaster verify '/my results'" in kept_line("/my results")
