import time
from io import StringIO
from pathlib import Path

from rich.console import Console

from cudamaster.cli.bench_view import shown
from tests.doubles import scripted_run

FAILED = {"operator": "relu", "precision": "fp32", "status": "failed", "minutes": 0.1}


def terminal(text: StringIO) -> Console:
    return Console(file=text, force_terminal=True, width=200, markup=False, highlight=False)


def appears(words: str, text: StringIO) -> bool:
    """Whether the bars, drawn ten times a second, come to show these words."""
    deadline = time.monotonic() + 10
    while words not in text.getvalue() and time.monotonic() < deadline:
        time.sleep(0.02)
    return words in text.getvalue()


def test_on_a_terminal_each_task_under_way_has_a_bar_until_it_ends(tmp_path: Path) -> None:
    text, settings = StringIO(), scripted_run.settings(tmp_path)
    run = scripted_run.folder(tmp_path)
    with shown(terminal(text), 2, "modelled") as view, view.follow(settings, run) as listen:
        listen({"event": "plan", "round": 2, "value": [{}]})
        assert appears("matrix_mul fp32: round 2 of 5, 0 candidates judged", text)
    assert "matrix_mul" not in text.getvalue().rpartition("tasks")[2]


def test_the_lines_of_finished_tasks_stay(tmp_path: Path) -> None:
    text = StringIO()
    with shown(terminal(text), 3, "modelled") as view:
        view.skip(1)
        view.finish(FAILED)
    assert "1 of 3 are finished already" in text.getvalue()
    assert "[2/3] relu fp32: no candidate was right, 0.1 min" in text.getvalue()
