"""Rows on disk as soon as they are there, one file a part: a check begun again goes on where it was.

It goes on from its document too, where that is all that came back from the machine it began on.
"""

import json
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from benchmarks.gpu_check.nouns import DONE, FAILED, SKIPPED, STARTED, Row
from cudamaster.store.atomic import write_atomically
from cudamaster.store.codec import encode

IDENTITY = "check.json"
DOCUMENT = "gpu-check.json"


class OtherCheck(Exception):
    """The folder holds rows of another device; the message says of which."""


def begin(folder: Path, identity: Mapping[str, object]) -> None:
    """Use `folder` for a check of this device, perhaps once more. Raises OtherCheck."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / IDENTITY
    if not file.exists() and (folder / DOCUMENT).is_file():
        _unpack(folder, set(identity))
    if file.exists() and (known := json.loads(file.read_text())) != dict(identity):
        raise OtherCheck(f"{folder} holds a check of {known}; give another folder with --out")
    write_atomically(file, json.dumps(dict(identity), indent=1).encode() + b"\n")


def _unpack(folder: Path, names: Set[str]) -> None:
    """The identity and the rows that the folder's document holds."""
    told = json.loads((folder / DOCUMENT).read_text())
    known = {name: value for name, value in told.items() if name in names}
    (folder / IDENTITY).write_text(json.dumps(known, indent=1) + "\n")
    for name, part in told["parts"].items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part["rows"]))


def rows_of(folder: Path, part: str) -> list[Row]:
    """The part's rows so far, the latest of each item; a torn last line, of a process killed, counts not."""
    file = folder / f"{part}.jsonl"
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    rows = [json.loads(line) for line in lines if line.endswith("\n")]
    return list({row["key"]: row for row in rows}.values())


def finished(rows: Sequence[Row]) -> set[str]:
    """Keys of items that need not be done again."""
    return {row["key"] for row in rows if row["status"] in (DONE, SKIPPED)}


def close_started(folder: Path, part: str, reason: str) -> None:
    """Say of items whose process is gone why they were not finished."""
    for row in rows_of(folder, part):
        if row["status"] == STARTED:
            keep(folder, part, row | {"status": FAILED, "reason": reason})


def keep(folder: Path, part: str, row: Row) -> None:
    """Add a row, behind the last whole one."""
    file = folder / f"{part}.jsonl"
    line = json.dumps(encode(row), allow_nan=False).encode() + b"\n"
    with file.open("a+b") as lines:
        lines.seek(0)
        lines.truncate(lines.read().rfind(b"\n") + 1)
        lines.write(line)
