import errno
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cudamaster.store.codec import Json
from tests.doubles import scripted_run

TRIES = 20
"""Without care about a third of the tries complain."""


@pytest.fixture
def many_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def disk_full_at_the_first(event: Json) -> None:
    """The others end while the run is ending."""
    if event["event"] == "evaluation" and event["number"] == 1:
        raise OSError(errno.ENOSPC, "No space left on device", "journal.jsonl")
    if event["event"] == "evaluation" and event["number"] == 2:
        time.sleep(0.05)


def test_a_run_that_fails_says_that_alone_whenever_its_other_candidates_end(
    tmp_path: Path, many_switches: None, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(TRIES):
        team = scripted_run.team([[scripted_run.source(f"s{i}", speedup=2.0) for i in range(3)]])
        run = scripted_run.run(scripted_run.folder(tmp_path), tmp_path / "r", team, scripted_run.judge())
        with pytest.raises(OSError, match="No space left"):
            run.work([disk_full_at_the_first])

    assert caplog.records == []
