import threading
from pathlib import Path

import pytest

from cudamaster.search.checkpoint import usable
from cudamaster.search.ledger import Ledger
from cudamaster.search.outcome import Outcome
from cudamaster.store.codec import Json
from cudamaster.store.runs import RunFolder
from tests.doubles import scripted_run


def best_of(outcome: Outcome) -> tuple[str, int, int]:
    assert outcome.best is not None
    return outcome.best.kernel_sha256, outcome.rounds, outcome.candidates


def stopped_after_a_round(tmp_path: Path) -> RunFolder:
    folder, stop = scripted_run.folder(tmp_path), threading.Event()
    scripted_run.run(folder, tmp_path / "r", scripted_run.team(), scripted_run.judge(), stop).work(
        [lambda event: stop.set() if event["event"] == "rewards" else None]
    )
    return folder


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_run_whose_journal_was_cut_goes_on_from_the_journal_and_ends_the_same(
    tmp_path: Path, share: float
) -> None:
    folder, team, judge = scripted_run.folder(tmp_path), scripted_run.team(), scripted_run.judge()
    whole = scripted_run.run(folder, tmp_path / "r", team, judge).work()
    lines = folder.journal_path.read_bytes().splitlines(keepends=True)
    folder.journal_path.write_bytes(b"".join(lines[: round(share * len(lines))]))

    again = scripted_run.run(folder, tmp_path / "r", team, judge).work()

    assert best_of(again) == best_of(whole)


@pytest.mark.parametrize("events", range(8, 40, 4))
def test_a_run_that_was_stopped_amid_a_round_and_lost_its_last_events_ends_the_same(
    tmp_path: Path, events: int
) -> None:
    whole = scripted_run.run(
        scripted_run.folder(tmp_path / "whole"), tmp_path / "w", scripted_run.team(), scripted_run.judge()
    ).work()
    folder, stop, seen = scripted_run.folder(tmp_path), threading.Event(), list[object]()

    def stop_after(event: Json) -> None:
        seen.append(event)
        if len(seen) == events:
            stop.set()

    team, judge = scripted_run.team(), scripted_run.judge()
    scripted_run.run(folder, tmp_path / "r", team, judge, stop).work([stop_after])
    lines = folder.journal_path.read_bytes().splitlines(keepends=True)
    folder.journal_path.write_bytes(b"".join(lines[:-4]))

    assert best_of(scripted_run.run(folder, tmp_path / "r", team, judge).work()) == best_of(whole)


def test_a_checkpoint_is_kept_beside_its_own_journal_and_dropped_beside_one_that_knows_less(
    tmp_path: Path,
) -> None:
    folder = stopped_after_a_round(tmp_path)
    journal, events = folder.journal(), folder.events()

    assert usable(folder.checkpoint_path, Ledger(journal, events, threading.Event())).exists()
    assert not usable(folder.checkpoint_path, Ledger(journal, events[:5], threading.Event())).exists()
