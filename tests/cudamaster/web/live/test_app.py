"""What is served at which address."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cudamaster.store.runs import RunFolder
from cudamaster.web.live.app import Shown, application
from cudamaster.web.live.glimpse import Beside
from tests.doubles import scripted_run as scripted
from tests.doubles.retold_run import RetoldRun, run_to_its_end
from tests.doubles.served import Served, served
from tests.doubles.stored_kernel import store


@pytest.fixture
def server(run: RetoldRun) -> Iterator[Served]:
    """The runs of the test's folder, and no results."""
    folder = run.folder.path.parent
    shown = Shown(folder, Beside(folder.parent / "results"))
    with served(lambda ending: application(shown, ending)) as running:
        yield running


def page(server: Served, path: str) -> str:
    answer = server.get(path)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    return answer.read().decode()


def test_without_results_the_first_page_lists_the_runs(server: Served, run: RetoldRun) -> None:
    run.until("rewards")
    assert server.get("/").headers["Location"] == "runs/"
    assert f'<a href="{run.folder.name}/">{run.folder.name}</a>' in page(server, "/runs/")


def test_the_first_page_is_that_of_the_results_where_there_are_any(server: Served, tmp_path: Path) -> None:
    store(tmp_path / "results")
    assert server.get("/").headers["Location"] == "index.html"
    assert 'id="shown"' in page(server, "/index.html")


def test_the_run_that_was_asked_for_is_opened_first(run: RetoldRun) -> None:
    folder = run.folder.path.parent
    shown = Shown(folder, Beside(folder), first=run.folder.name)
    with served(lambda ending: application(shown, ending)) as running:
        assert running.get("/").headers["Location"] == f"runs/{run.folder.name}/"


def test_a_page_that_is_opened_late_shows_all(
    server: Served, run: RetoldRun, finished: RunFolder, tmp_path: Path
) -> None:
    run.until("finished")
    shutil.copytree(finished.path.parent.parent / "results", tmp_path / "results")
    text = page(server, f"/runs/{run.folder.name}/")
    for number in range(1, 7):
        assert f'id="candidate-{number}"' in text
    assert "finished: no strategy that is left is likely to gain" in text
    assert f"cudamaster best {run.folder.name}" in text
    assert 'href="../../virtual-h200/matrix_mul/fp32/index.html"' in text


def test_events_tell_of_each_change_and_end_with_the_run(server: Served, run: RetoldRun) -> None:
    run.until("started")
    events = iter(server.events(f"/runs/{run.folder.name}/events"))
    assert next(events)["line"] == "judging the baseline"
    run.until("rewards")
    told = next(events)
    while "round 1" not in told["line"]:
        told = next(events)
    assert "change 0 of round 1" in told["html"]
    run.until("finished")
    assert [told["over"] for told in events][-1]


def test_a_run_that_begins_appears_in_the_list(server: Served, run: RetoldRun) -> None:
    events = iter(server.events("/runs/events"))
    assert next(events)["line"] == "1 run"
    second = RunFolder(run.folder.path.parent / "20990101-000000-relu-fp32-0000")
    second.path.mkdir()
    second.journal_path.touch()
    told = next(events)
    assert told["line"] == "2 runs"
    assert told["html"].index(second.name) < told["html"].index(run.folder.name)


def test_a_damaged_run_says_so_and_harms_no_other_page(server: Served, run: RetoldRun) -> None:
    run.until("started").say("no event\n")
    assert "is not JSON; the journal was changed by hand" in page(server, f"/runs/{run.folder.name}/")
    assert "<td>damaged</td>" in page(server, "/runs/")


def test_a_run_whose_folder_was_removed_says_so(server: Served, run: RetoldRun) -> None:
    run.until("started")
    events = iter(server.events(f"/runs/{run.folder.name}/events"))
    assert next(events)["line"] == "judging the baseline"
    shutil.rmtree(run.folder.path)
    assert [told["line"] for told in events] == ["the run is no longer there: its folder was removed"]
    assert "no run yet" in page(server, "/runs/")


def test_a_run_whose_process_died_is_told_from_one_at_work(server: Served, run: RetoldRun) -> None:
    """The lock that a process holds on its run goes with it."""
    run.until("rewards")
    long_ago = time.time() - 60
    os.utime(run.folder.journal_path, (long_ago, long_ago))
    with run.folder.held():
        assert "no process works on it" not in page(server, f"/runs/{run.folder.name}/")
        assert "<td>running</td>" in page(server, "/runs/")
    assert "no process works on it any more; " in page(server, f"/runs/{run.folder.name}/")
    assert "<td>unfinished</td>" in page(server, "/runs/")


def test_what_is_no_run_harms_no_other_page(server: Served, run: RetoldRun) -> None:
    run.until("started")
    for name, text in (("a-folder", ""), ("b-deep", "[" * 100_000 + "\n"), ("c-<img src=x> ü", "{}\n")):
        RunFolder(run.folder.path.parent / name).path.mkdir()
        RunFolder(run.folder.path.parent / name).journal_path.write_text(text)
    RunFolder(run.folder.path.parent / "a-folder").journal_path.unlink()
    RunFolder(run.folder.path.parent / "a-folder").journal_path.mkdir()
    no_text = run.folder.path.parent / os.fsdecode(b"d-\xff")
    no_text.mkdir()
    RunFolder(no_text).journal_path.write_text("{}\n")
    assert page(server, "/runs/").count("<td>damaged</td>") == 4
    assert '<a href="d-%FF/">d-‹U+DCFF›</a>' in page(server, "/runs/")
    assert "is no file" in page(server, "/runs/a-folder/")
    assert "is not JSON" in page(server, "/runs/b-deep/")
    assert "another version wrote it" in page(server, "/runs/c-%3Cimg%20src=x%3E%20%C3%BC/")


def test_looking_at_a_run_writes_nothing(server: Served, run: RetoldRun) -> None:
    run.until("rewards")
    (run.folder.path / "artefacts").unlink()
    assert "is missing, and the run" in page(server, f"/runs/{run.folder.name}/")
    assert [path.name for path in run.folder.path.iterdir()] == ["journal.jsonl"]


def test_a_run_that_has_not_begun_says_so(server: Served, run: RetoldRun) -> None:
    assert "the run has not begun yet" in page(server, f"/runs/{run.folder.name}/")


def test_a_run_that_ended_without_gain_says_nothing_of_yet(tmp_path: Path) -> None:
    folder = run_to_its_end(tmp_path, scripted.team([[scripted.SLOW]]))
    with served(lambda ending: application(Shown(folder.path.parent, Beside(tmp_path)), ending)) as running:
        text = page(running, f"/runs/{folder.name}/")
    assert "nothing faster<" in text
    assert "cudamaster best" not in text


@pytest.mark.parametrize("path", ["/runs", "/runs/20261201-1"])
def test_a_page_may_be_typed_without_its_last_slash(server: Served, path: str) -> None:
    answer = server.get(path)
    assert (answer.status, answer.headers["Location"]) == (303, f"{path}/")


@pytest.mark.parametrize("path", ["/runs/none/", "/runs/%2e%2e/", "/runs/..%2f..%2fetc/", "/none", "/../x"])
def test_what_is_not_there_is_not_found(server: Served, path: str) -> None:
    assert server.get(path).status == 404


def test_without_results_their_page_says_how_to_get_some(server: Served) -> None:
    answer = server.get("/index.html")
    assert answer.status == 404
    assert b"cudamaster optimize" in answer.read()


def test_the_site_of_the_results_is_served_whole_and_anew(finished: RunFolder, tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(finished.path.parent.parent / "results", results)
    shown = Shown(finished.path.parent, Beside(results))
    with served(lambda ending: application(shown, ending)) as running:
        kernel = running.get("/virtual-h200/matrix_mul/fp32/kernel.cu").read().decode()
        assert kernel == scripted.BETTER
        assert "Matrix multiplication, FP32" in page(running, "/virtual-h200/matrix_mul/fp32/index.html")
        assert "Best kernels on virtual:h200" in page(running, "/index.html")
        assert '<a href="runs/">runs</a>' in page(running, "/index.html")
        shutil.rmtree(results)
        assert running.get("/index.html").status == 404
