"""What pages are made of, read from a results folder and from runs."""

import json
import shutil
from pathlib import Path, PurePosixPath

import pytest

from cudamaster.errors import UsageError
from cudamaster.store.runs import list_runs
from cudamaster.web.building import site_files
from cudamaster.web.exhibits import read_exhibits
from tests.doubles import scripted_run
from tests.doubles.stored_kernel import KERNEL, evaluation, record_of, store


def searched(folder: Path) -> Path:
    """A results folder that a scripted run stored its champion in, without the story."""
    run = scripted_run.folder(folder)
    scripted_run.run(run, folder / "results", scripted_run.team(), scripted_run.judge()).work()
    (folder / "results/virtual-h200/matrix_mul/fp32/story.json").unlink()
    return folder / "results"


def test_a_story_that_is_not_kept_is_told_by_the_run(tmp_path: Path) -> None:
    results = searched(tmp_path)
    (alone,) = read_exhibits(results)
    (told,) = read_exhibits(results, tmp_path / "runs")

    assert alone.story is None
    assert told.story is not None
    assert told.story["run"] == list_runs(tmp_path / "runs")[0].name
    assert [len(r["candidates"]) for r in told.story["rounds"]] == [3, 2, 1]


def test_a_run_that_found_another_kernel_tells_nothing(tmp_path: Path) -> None:
    results = searched(tmp_path)
    (other,) = list_runs(tmp_path / "runs")
    shutil.rmtree(other.path)
    scripted_run.run(
        scripted_run.folder(tmp_path),
        tmp_path / "other",
        scripted_run.team([[scripted_run.GOOD]]),
        scripted_run.judge(),
    ).work()
    shutil.move(list_runs(tmp_path / "runs")[0].path, other.path)

    (told,) = read_exhibits(results, tmp_path / "runs")
    assert told.story is None


def test_a_damaged_journal_is_named(tmp_path: Path) -> None:
    results = searched(tmp_path)
    (run,) = list_runs(tmp_path / "runs")
    run.journal_path.write_text("no event\n")

    with pytest.raises(UsageError, match=r"journal\.jsonl:1 is not JSON"):
        read_exhibits(results, tmp_path / "runs")


def test_kernels_for_sizes_of_the_users_own_have_a_table_of_their_own(tmp_path: Path) -> None:
    usual = store(tmp_path)
    document = evaluation("").document()
    document["workloads"] = [row | {"set": "user"} for row in document["workloads"]]
    made = store(tmp_path / "elsewhere", **record_of(KERNEL) | {"evaluation": document})
    shutil.move(made, usual / "own-sizes/a-run")
    own, first = sorted(read_exhibits(tmp_path), key=lambda exhibit: str(exhibit.place), reverse=True)

    assert (first.on_own_sizes, own.on_own_sizes) == (False, True)
    assert own.place == PurePosixPath("virtual-h200/vector_add/fp32/own-sizes/a-run")
    index = site_files(tmp_path)["index.html"].decode()
    usual_table, own_table = index.split("<table")[1:3]
    assert "own-sizes/a-run/index.html" in own_table
    assert "own-sizes" not in usual_table


def test_a_page_tells_nobodys_folders(tmp_path: Path) -> None:
    store(tmp_path / "results")
    for content in site_files(tmp_path / "results").values():
        assert str(tmp_path) not in content.decode()


def test_the_record_in_a_site_is_the_one_that_was_stored(tmp_path: Path) -> None:
    folder = store(tmp_path)
    (exhibit,) = read_exhibits(tmp_path)

    assert exhibit.record == json.loads((folder / "record.json").read_text())
    assert exhibit.origin == f"{tmp_path.name}/virtual-h200/vector_add/fp32/record.json"
