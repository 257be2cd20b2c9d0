"""What is known of a run while it goes, from its journal alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from cudamaster.errors import BrokenStore
from cudamaster.store.runs import RunFolder
from cudamaster.web.live.glimpse import Glimpse, State, glimpse_of
from tests.doubles import scripted_run as scripted


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """The scripted run to its end: round 2's BETTER is crowned."""
    root = tmp_path_factory.mktemp("run")
    folder = scripted.folder(root)
    scripted.run(folder, root / "results", scripted.team(), scripted.judge(), max_minutes=30.0).work()
    return folder


def until(finished: RunFolder, place: Path, event: str, count: int = 1) -> RunFolder:
    """The run as it stood right after its `count`th event of that name."""
    folder = RunFolder(place / finished.name)
    folder.path.mkdir()
    (folder.path / "artefacts").symlink_to(finished.path / "artefacts")
    lines = finished.journal_path.read_text().splitlines()
    places = [i for i, line in enumerate(lines) if json.loads(line)["event"] == event]
    folder.journal_path.write_text("\n".join(lines[: places[count - 1] + 1]) + "\n")
    return folder


def glimpsed(run: RunFolder, quiet: bool = False) -> Glimpse:
    found = glimpse_of(run, quiet)
    assert found is not None
    return found


def test_before_the_first_event_nothing_is_known(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    assert glimpse_of(run, quiet=False) is None
    run.journal_path.write_text("")
    assert glimpse_of(run, quiet=False) is None


def test_at_its_start_a_run_judges_the_baseline(finished: RunFolder, tmp_path: Path) -> None:
    glimpse = glimpsed(until(finished, tmp_path, "started"))
    assert (glimpse.state, glimpse.line) == (State.GOING, "judging the baseline")
    assert glimpse.best is None
    assert [(part.name, part.text) for part in glimpse.budget] == [
        ("rounds", "0 of 5"),
        ("minutes", "0.0 of 30"),
    ]


def test_in_the_middle_the_best_so_far_is_by_the_rounds_verdicts(finished: RunFolder, tmp_path: Path) -> None:
    glimpse = glimpsed(until(finished, tmp_path, "rewards"))
    assert glimpse.state is State.GOING
    assert glimpse.line.startswith("round 1 of 5, 4 candidates judged, best 1.48x modelled")
    assert glimpse.best is not None
    assert glimpse.best.kernel == scripted.GOOD
    assert not glimpse.crowned
    assert glimpse.budget[0].text == "1 of 5"
    assert any("correct, 1.50x modelled" in line for line in glimpse.told)


def test_the_crowned_kernel_replaces_a_faster_one_that_did_not_hold(finished: RunFolder) -> None:
    glimpse = glimpsed(finished)
    assert glimpse.best is not None
    assert glimpse.best.kernel == scripted.BETTER
    assert glimpse.crowned
    assert glimpse.best.baseline == scripted.judge().baseline()


def test_a_finished_run_says_why_and_where_its_result_is(finished: RunFolder) -> None:
    glimpse = glimpsed(finished, quiet=True)
    assert glimpse.state is State.FINISHED
    assert glimpse.line == "finished: no strategy that is left is likely to gain"
    assert glimpse.result == "virtual-h200/matrix_mul/fp32/index.html"
    assert glimpse.title == "Matrix multiplication, FP32"


def test_a_run_that_fell_silent_says_how_it_goes_on(finished: RunFolder, tmp_path: Path) -> None:
    run = until(finished, tmp_path, "rewards")
    glimpse = glimpsed(run, quiet=True)
    assert glimpse.state is State.QUIET
    assert f"'cudamaster resume {run.name}' goes on" in glimpse.line


def test_an_interrupted_run_says_so(finished: RunFolder, tmp_path: Path) -> None:
    run = until(finished, tmp_path, "rewards")
    with run.journal_path.open("a") as file:
        last: dict[str, Any] = run.events()[-1]
        file.write(
            json.dumps({"schema": last["schema"], "time": last["time"], "event": "interrupted"}) + "\n"
        )
    assert glimpsed(run).state is State.INTERRUPTED


def test_a_damaged_journal_is_named(finished: RunFolder, tmp_path: Path) -> None:
    run = until(finished, tmp_path, "evaluation", 2)
    text = run.journal_path.read_text().replace('"status":"correct"', '"status":"splendid"')
    run.journal_path.write_text(text)
    with pytest.raises(BrokenStore, match=r"journal.jsonl is damaged: .*splendid"):
        glimpse_of(run, quiet=False)


def test_a_torn_last_line_is_not_there_yet(finished: RunFolder, tmp_path: Path) -> None:
    run = until(finished, tmp_path, "rewards")
    before = glimpsed(run)
    with run.journal_path.open("a") as file:
        file.write('{"schema":"cudamaster.ev')
    assert glimpsed(run) == before
