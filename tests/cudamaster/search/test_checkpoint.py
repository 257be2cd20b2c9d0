import threading
from pathlib import Path

import pytest

from cudamaster.search.checkpoint import usable
from cudamaster.search.ledger import Ledger
from cudamaster.store.runs import RunFolder
from tests.doubles import scripted_run


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

    assert again.best is not None
    assert whole.best is not None
    assert again.best.kernel_sha256 == whole.best.kernel_sha256
    assert (again.rounds, again.candidates) == (whole.rounds, whole.candidates)


def test_a_checkpoint_is_kept_beside_its_own_journal_and_dropped_beside_one_that_knows_less(
    tmp_path: Path,
) -> None:
    folder = stopped_after_a_round(tmp_path)
    journal, events = folder.journal(), folder.events()

    assert usable(folder.checkpoint_path, Ledger(journal, events, threading.Event())).exists()
    assert not usable(folder.checkpoint_path, Ledger(journal, events[:5], threading.Event())).exists()
