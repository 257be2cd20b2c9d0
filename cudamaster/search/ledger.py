"""What a run has paid for, by key: nothing that the journal already holds is bought again."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from cudamaster.errors import Interrupted
from cudamaster.store.codec import Json
from cudamaster.store.journal import Journal


class Ledger:
    """Proposals, evaluations and profiles of one run, as plain values; shared by the candidates' threads."""

    def __init__(self, journal: Journal, events: Iterable[Json], stop: threading.Event) -> None:
        self.journal = journal
        self._stop = stop
        self._paid: dict[str, Any] = {e["key"]: e["value"] for e in events if "key" in e}
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._guard = threading.Lock()
        self._paying = threading.local()

    def once(self, event: str, key: str, pay: Callable[[], Any], **about: Any) -> Any:
        """The value of `key`: the journal's, else that of `pay()`, which is journalled before it is returned.

        Two threads that ask for the same key pay once. Raises Interrupted instead of paying once the user has
        asked to stop.
        """
        with self._guard:
            lock = self._locks[key]
        with lock:
            if key not in self._paid:
                self.refuse_when_stopped()
                with self._paying_for(key):
                    value = pay()
                self.journal.append(event, key=key, value=value, **about)
                self._paid[key] = value
            return self._paid[key]

    def question(self) -> str:
        """A name for the next question that is asked while a key is paid for: `proposal/3/1`, `proposal/3/2`.

        A payment that was cut short begins with the same names again. Outside of payments there are none.
        """
        self._paying.questions += 1
        return f"{self._paying.key}/{self._paying.questions}"

    @contextmanager
    def _paying_for(self, key: str) -> Iterator[None]:
        before = getattr(self._paying, "key", ""), getattr(self._paying, "questions", 0)
        self._paying.key, self._paying.questions = key, 0
        try:
            yield
        finally:
            self._paying.key, self._paying.questions = before

    def values(self, prefix: str) -> list[Any]:
        """All that was paid for under keys that begin with `prefix`."""
        return [value for key, value in list(self._paid.items()) if key.startswith(prefix)]

    def holds(self, key: str) -> bool:
        """Whether `key` was paid for."""
        return key in self._paid

    def paid(self, key: str) -> Any:
        """The value of `key`. Raises KeyError where it was never paid for."""
        return self._paid[key]

    def refuse_when_stopped(self) -> None:
        """Raise Interrupted once the user has asked to stop."""
        if self._stop.is_set():
            raise Interrupted("interrupted; the best so far is kept")
