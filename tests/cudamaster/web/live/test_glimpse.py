"""What is known of a run while it goes, from its journal alone."""

import json
import shutil
from pathlib import Path

import pytest

from cudamaster.errors import BrokenStore
from cudamaster.store.runs import RunFolder
from cudamaster.web.live.glimpse import Beside, Glimpse, State, glimpse_of
from tests.doubles import scripted_run as scripted
from tests.doubles.retold_run import RetoldRun


def glimpsed(run: RunFolder, left: bool = False) -> Glimpse:
    found = glimpse_of(run, left, Beside(run.path.parent.parent / "results"))
    assert found is not None
    return found


def test_before_the_first_event_nothing_is_known(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    assert glimpse_of(run, False, Beside(tmp_path)) is None
    run.journal_path.write_text("")
    assert glimpse_of(run, False, Beside(tmp_path)) is None


def test_at_its_start_a_run_judges_the_baseline(run: RetoldRun) -> None:
    glimpse = glimpsed(run.until("started").folder)
    assert (glimpse.state, glimpse.line) == (State.GOING, "judging the baseline")
    assert glimpse.best is None
    assert [(part.name, part.text) for part in glimpse.budget] == [
        ("rounds", "0 of 5"),
        ("minutes", "0.0 of 30"),
    ]


def test_in_the_middle_the_best_so_far_is_by_the_rounds_verdicts(run: RetoldRun) -> None:
    glimpse = glimpsed(run.until("rewards").folder)
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


def test_a_candidate_that_the_end_refused_is_not_the_best_any_more(run: RetoldRun) -> None:
    def kernel() -> str:
        best = glimpsed(run.folder).best
        assert best is not None
        return best.kernel

    run.until("stopped")
    assert kernel() == scripted.FRAGILE
    run.until("champion")
    assert kernel() == scripted.BETTER


def test_a_finished_run_says_why_and_where_its_result_is(finished: RunFolder) -> None:
    glimpse = glimpsed(finished, left=True)
    assert glimpse.state is State.FINISHED
    assert glimpse.line == "finished: no strategy that is left is likely to gain"
    assert glimpse.result == "virtual-h200/matrix_mul/fp32/index.html"
    assert glimpse.title == "Matrix multiplication, FP32"


def test_a_result_that_another_run_replaced_is_not_led_to(run: RetoldRun, finished: RunFolder) -> None:
    results = run.folder.path.parent.parent / "results"
    shutil.copytree(finished.path.parent.parent / "results", results)
    assert glimpsed(run.until("finished").folder).result
    (record,) = results.rglob("record.json")
    record.write_text(record.read_text().replace(finished.name, "another"))
    assert glimpsed(run.folder).result == ""
    shutil.rmtree(results)
    assert glimpsed(run.folder).result == ""


def test_a_run_that_no_process_works_on_says_how_it_goes_on(run: RetoldRun) -> None:
    glimpse = glimpsed(run.until("rewards").folder, left=True)
    assert glimpse.state is State.LEFT
    assert f"'cudamaster resume {run.folder.name}' goes on" in glimpse.line


def test_an_interrupted_run_says_so(run: RetoldRun) -> None:
    last = run.until("rewards").folder.events()[-1]
    run.say(json.dumps({"schema": last["schema"], "time": last["time"], "event": "interrupted"}) + "\n")
    assert glimpsed(run.folder).state is State.INTERRUPTED


def test_a_damaged_journal_is_named(run: RetoldRun) -> None:
    journal = run.until("evaluation", 2).folder.journal_path
    journal.write_text(journal.read_text().replace('"status":"correct"', '"status":"splendid"'))
    with pytest.raises(BrokenStore, match=r"journal.jsonl is damaged: .*splendid"):
        glimpsed(run.folder)


def test_a_torn_last_line_is_not_there_yet(run: RetoldRun) -> None:
    before = glimpsed(run.until("rewards").folder)
    run.say('{"schema":"cudamaster.ev')
    assert glimpsed(run.folder) == before
