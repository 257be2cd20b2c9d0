"""Rows are on disk at once, and a check that is begun again goes on where it was."""

import json
import math
from pathlib import Path

import pytest

from benchmarks.gpu_check.kept_rows import (
    DOCUMENT,
    OtherCheck,
    begin,
    close_started,
    finished,
    keep,
    rows_of,
)


def test_the_latest_row_of_an_item_counts(tmp_path: Path) -> None:
    keep(tmp_path, "part", {"key": "a", "status": "failed"})
    keep(tmp_path, "part", {"key": "b", "status": "done"})
    keep(tmp_path, "part", {"key": "a", "status": "done"})
    assert rows_of(tmp_path, "part") == [{"key": "a", "status": "done"}, {"key": "b", "status": "done"}]


def test_done_and_skipped_items_are_finished_and_others_are_not(tmp_path: Path) -> None:
    for status in ("done", "skipped", "failed", "started"):
        keep(tmp_path, "part", {"key": status, "status": status})
    assert finished(rows_of(tmp_path, "part")) == {"done", "skipped"}


def test_a_row_that_was_torn_when_its_process_was_killed_is_left_out_and_not_added_to(tmp_path: Path) -> None:
    keep(tmp_path, "part", {"key": "a", "status": "done"})
    file = tmp_path / "part.jsonl"
    file.write_text(file.read_text() + '{"key": "b", "sta')
    assert [row["key"] for row in rows_of(tmp_path, "part")] == ["a"]
    keep(tmp_path, "part", {"key": "c", "status": "done"})
    assert [row["key"] for row in rows_of(tmp_path, "part")] == ["a", "c"]


def test_what_was_begun_by_a_process_that_is_gone_has_failed(tmp_path: Path) -> None:
    keep(tmp_path, "part", {"key": "a", "status": "started"})
    keep(tmp_path, "part", {"key": "b", "status": "done"})
    close_started(tmp_path, "part", "it died")
    assert rows_of(tmp_path, "part")[0] == {"key": "a", "status": "failed", "reason": "it died"}
    assert rows_of(tmp_path, "part")[1]["status"] == "done"


def test_an_infinite_error_is_told_in_a_word(tmp_path: Path) -> None:
    keep(tmp_path, "part", {"key": "a", "status": "done", "ratio": math.inf})
    assert rows_of(tmp_path, "part")[0]["ratio"] == "inf"


def test_rows_of_two_devices_are_not_mixed(tmp_path: Path) -> None:
    begin(tmp_path, {"device": "cuda:0", "clock_version": "driver 1"})
    begin(tmp_path, {"device": "cuda:0", "clock_version": "driver 1"})
    with pytest.raises(OtherCheck, match="driver 1"):
        begin(tmp_path, {"device": "cuda:0", "clock_version": "driver 2"})


def test_a_check_goes_on_from_its_document_alone(tmp_path: Path) -> None:
    """Where nothing else came back from the machine that it began on."""
    rows = [{"key": "a", "status": "done"}, {"key": "b", "status": "failed", "reason": "-"}]
    told = {"device": "cuda:0", "seed": 0, "time": "2026", "parts": {"pairs": {"figures": {}, "rows": rows}}}
    (tmp_path / DOCUMENT).write_text(json.dumps(told))

    begin(tmp_path, {"device": "cuda:0", "seed": 0})
    assert rows_of(tmp_path, "pairs") == rows
    with pytest.raises(OtherCheck):
        begin(tmp_path, {"device": "cuda:0", "seed": 1})
