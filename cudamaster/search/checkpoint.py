"""A run's checkpoint: what of it can be gone on from, beside the journal."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cudamaster.search.context import evaluation_key
from cudamaster.search.ledger import Ledger

STATE = "run 2"
"""Names the state's form: checkpoints of another one are not read, the journal brings the run back."""


def usable(checkpoint: Path, ledger: Ledger) -> Path:
    """The same path, without its file where that is no database, or knows more than the journal.

    The journal alone brings the run back. It is the one that knows less where its file was cut, or an older
    copy of it put back.
    """
    if checkpoint.exists() and not _is_usable(checkpoint, ledger):
        for part in ("", "-wal", "-shm"):
            checkpoint.with_name(checkpoint.name + part).unlink(missing_ok=True)
    return checkpoint


def _is_usable(checkpoint: Path, ledger: Ledger) -> bool:
    try:
        with saver(checkpoint) as kept:
            return all(ledger.holds(key) for key in _keys_in(kept))
    except sqlite3.DatabaseError as fault:
        if isinstance(fault, sqlite3.OperationalError):
            raise  # a full disk, or a file that may not be read: no reason to delete it
        return False


@contextmanager
def saver(checkpoint: Path) -> Iterator[Any]:
    """LangGraph's keeper of checkpoints, in this file."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    connection = sqlite3.connect(checkpoint, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = NORMAL")  # what a power cut takes, the journal brings back
        yield SqliteSaver(connection)
    finally:
        connection.close()


def _keys_in(kept: Any) -> Iterator[str]:
    """Every key that the run's last checkpoint, and its candidates' since then, take for paid."""
    for found in kept.list({"configurable": {"thread_id": STATE}}):  # the newest first
        yield from _keys_of(found.checkpoint["channel_values"])
        for _, _, value in found.pending_writes or ():
            yield from _keys_of(value)
        if not found.config["configurable"]["checkpoint_ns"]:
            return  # the run's own: all before it is in its state


def _keys_of(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from _keys_named(value)
        for part in value.values():
            yield from _keys_of(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _keys_of(part)
    elif (handed_over := getattr(value, "arg", None)) is not None:  # LangGraph's Send
        yield from _keys_of(handed_over)


def _keys_named(state: Mapping[str, Any]) -> Iterator[str]:
    """Those of one ticket, or of a run that has its champion."""
    yield from (state[name] for name in ("evaluation", "profile") if isinstance(state.get(name), str))
    if "kernel" in state:
        yield f"proposal/{state['number']}"
    if "reward" in state:
        yield f"rewards/{state['round']}"
    if "champion" in state:
        yield "stopped"
        crowned = [a for a in state.get("attempts", ()) if a["number"] == state["champion"]]
        yield from (evaluation_key(attempt["kernel"], "full") for attempt in crowned)
