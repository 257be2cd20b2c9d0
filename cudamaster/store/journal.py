"""A run's journal: one JSON event a line, only ever appended to, on the disk before `append` returns."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from cudamaster.errors import BrokenStore
from cudamaster.store.codec import Json

SCHEMA = "cudamaster.event/1"
BY_HAND = "the journal was changed by hand: put it back from a copy, or start a new run"
Listener = Callable[[Json], None]


def utc_now() -> datetime:
    """The wall clock, in UTC."""
    return datetime.now(UTC)


class Journal:
    """Appends events and hands each to the listeners, in order, from any thread.

    A process killed while it wrote leaves a torn last line; opening the journal removes it.
    """

    def __init__(self, path: Path, now: Callable[[], datetime] = utc_now) -> None:
        self.path = path
        self._now = now
        self._lock = threading.Lock()
        self._listeners: list[Listener] = []
        mend(path)
        self._file = path.open("ab", buffering=0)

    def listen(self, listener: Listener) -> None:
        """Call `listener` with each event from now on."""
        self._listeners.append(listener)

    def append(self, event: str, **fields: object) -> Json:
        """Write one event and wait until it is on the disk."""
        with self._lock:
            line: Json = {"schema": SCHEMA, "time": self._now().isoformat(), "event": event} | fields
            self._write(json.dumps(line, separators=(",", ":"), allow_nan=False).encode() + b"\n")
            for listener in self._listeners:
                listener(line)
        return line

    def _write(self, line: bytes) -> None:
        """Raises OSError with the journal's name, which that of a descriptor lacks."""
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as cause:
            raise OSError(cause.errno, cause.strerror, str(self.path)) from cause

    def close(self) -> None:
        """Nothing is appended afterwards."""
        self._file.close()


def mend(path: Path) -> None:
    """Cut a torn last line off, where there is one."""
    if not path.exists():
        return
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)


def read_events(path: Path) -> Iterator[Json]:
    """Every whole event of a journal, oldest first; a torn last line is left out.

    Raises BrokenStore where a whole line is not an event of this schema.
    """
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise BrokenStore(f"{path} is no file; delete it, or take a sound copy")
    lines = path.read_bytes().split(b"\n")[:-1]
    for number, line in enumerate(lines, 1):
        yield _event(line, path, number)


def _event(line: bytes, path: Path, number: int) -> Json:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError) as cause:
        raise BrokenStore(f"{path}:{number} is not JSON; {BY_HAND}") from cause
    if not isinstance(event, dict) or event.get("schema") != SCHEMA:
        raise BrokenStore(f"{path}:{number} is not a {SCHEMA} event; another version wrote it: use that one")
    if not (isinstance(event.get("event"), str) and _is_time(event.get("time"))):
        raise BrokenStore(f"{path}:{number} lacks the event's name or time; {BY_HAND}")
    if "key" in event and "value" not in event:
        raise BrokenStore(f"{path}:{number} lacks the event's value; {BY_HAND}")
    return event


def _is_time(text: object) -> bool:
    try:
        return datetime.fromisoformat(str(text)).tzinfo is not None
    except ValueError:
        return False
