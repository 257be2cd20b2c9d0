import threading
import time
from pathlib import Path

import pytest

from cudamaster.errors import Interrupted
from cudamaster.search.ledger import Ledger
from cudamaster.store.journal import Journal, read_events


def ledger(path: Path, stop: threading.Event | None = None) -> Ledger:
    earlier = list(read_events(path)) if path.exists() else []
    return Ledger(Journal(path), earlier, stop or threading.Event())


def test_a_key_is_paid_for_once(tmp_path: Path) -> None:
    found, values = ledger(tmp_path / "j"), iter([7, 8])

    for _ in range(2):
        assert found.once("plan", "k", lambda: next(values)) == 7


def test_a_value_of_the_journal_is_not_paid_for_again(tmp_path: Path) -> None:
    ledger(tmp_path / "j").once("plan", "k", lambda: None, round=1)

    assert ledger(tmp_path / "j").once("plan", "k", lambda: pytest.fail("paid twice")) is None


def test_threads_that_want_the_same_pay_once(tmp_path: Path) -> None:
    found, paid = ledger(tmp_path / "j"), []

    def pay() -> int:
        paid.append(1)
        time.sleep(0.05)
        return 1

    threads = [threading.Thread(target=found.once, args=("plan", "k", pay)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert paid == [1]


def test_once_stopped_nothing_new_is_paid_for_and_the_old_is_still_told(tmp_path: Path) -> None:
    stop = threading.Event()
    found = ledger(tmp_path / "j", stop)
    found.once("plan", "old", lambda: 1)
    stop.set()

    assert found.once("plan", "old", lambda: 2) == 1
    with pytest.raises(Interrupted):
        found.once("plan", "new", lambda: 3)
