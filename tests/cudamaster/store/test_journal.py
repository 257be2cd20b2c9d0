import json
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cudamaster.errors import BrokenStore
from cudamaster.store.journal import SCHEMA, Journal, read_events


def noon() -> datetime:
    return datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_an_event_is_one_line_with_schema_and_time(tmp_path: Path) -> None:
    Journal(tmp_path / "j", noon).append("plan", round=1)

    assert json.loads((tmp_path / "j").read_text()) == {
        "schema": SCHEMA,
        "time": "2026-01-01T12:00:00+00:00",
        "event": "plan",
        "round": 1,
    }


def test_reopening_appends(tmp_path: Path) -> None:
    for number in (1, 2):
        journal = Journal(tmp_path / "j", noon)
        journal.append("plan", round=number)
        journal.close()

    assert [e["round"] for e in read_events(tmp_path / "j")] == [1, 2]


@pytest.mark.parametrize("kept", range(0, 60, 7))
def test_a_torn_last_line_is_cut_off_and_the_rest_stays(tmp_path: Path, kept: int) -> None:
    journal = Journal(tmp_path / "j", noon)
    journal.append("plan", round=1)
    whole = (tmp_path / "j").read_bytes()
    (tmp_path / "j").write_bytes(whole + whole[:kept])

    assert [e["round"] for e in read_events(tmp_path / "j")] == [1]
    Journal(tmp_path / "j", noon).append("plan", round=2)
    assert [e["round"] for e in read_events(tmp_path / "j")] == [1, 2]


def test_a_whole_line_that_is_no_event_is_named(tmp_path: Path) -> None:
    (tmp_path / "j").write_text('{"schema":"other/1"}\n')

    with pytest.raises(BrokenStore, match="j:1 is not a"):
        list(read_events(tmp_path / "j"))


def test_a_line_that_is_not_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "j").write_text("nonsense\n")

    with pytest.raises(BrokenStore, match="j:1 is not JSON"):
        list(read_events(tmp_path / "j"))


def test_threads_do_not_mix_their_lines(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", noon)
    heard: list[int] = []
    journal.listen(lambda event: heard.append(event["number"]))
    threads = [
        threading.Thread(target=lambda i=i: [journal.append("x", number=100 * i + n) for n in range(20)])
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    written = [e["number"] for e in read_events(tmp_path / "j")]
    assert sorted(written) == sorted(100 * i + n for i in range(4) for n in range(20))
    assert heard == written
