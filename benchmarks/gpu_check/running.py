"""Goes through one part's items until all are done or its time is up."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.gpu_check.kept_rows import finished, keep, rows_of
from benchmarks.gpu_check.nouns import FAILED, LAST, SKIPPED, STARTED, WITHOUT, Item, Part, Row, Session
from cudamaster.toolchain.device import Device, Guarding
from cudamaster.toolchain.errors import ToolchainError
from mskernelbench.errors import BenchmarkError, PackageMissing

AHEAD = 6
"""Items that are prepared at a time; each may hold gigabytes of inputs."""
Tell = Callable[[Row], None]


def run_part(part: Part, session: Session, folder: Path, tell: Tell) -> None:
    """Do what is not done yet, what was not even tried first; each row is kept and told at once."""
    deadline = time.monotonic() + session.seconds
    rows = rows_of(folder, part.name)
    done, tried = finished(rows), {row["key"] for row in rows}
    items = [item for item in part.items(session) if item.key not in done]
    for item, prepared in _prepared(sorted(items, key=lambda item: item.key in tried), session):
        if time.monotonic() > deadline:
            break
        keep(folder, part.name, {"key": item.key, "status": STARTED})
        row = {"key": item.key} | _row(item, prepared) | _without(session.device)
        keep(folder, part.name, row)
        tell(row)
        if LAST in row:
            break


def _prepared(items: Sequence[Item], session: Session) -> Iterator[tuple[Item, "Future[Any]"]]:
    """The items in order, what follows being prepared meanwhile."""
    left = iter(items)
    ahead = deque((item, session.pool.submit(item.prepare)) for item in islice(left, AHEAD))
    try:
        while ahead:
            yield ahead.popleft()
            ahead += [(item, session.pool.submit(item.prepare)) for item in islice(left, 1)]
    finally:
        for _, future in ahead:
            future.cancel()


def _without(device: Device) -> Row:
    """What of its guards the device had to leave out, where it did."""
    words = device.left_out if isinstance(device, Guarding) else ()
    return {WITHOUT: list(words)} if words else {}


def _row(item: Item, prepared: "Future[Any]") -> Row:
    """The item's row; our own faults and the machine's lacks become one that says so."""
    began = time.monotonic()
    try:
        row = item.measure(prepared.result())
    except PackageMissing as missing:
        row = {"status": SKIPPED, "reason": str(missing)}
    except (ToolchainError, BenchmarkError, OSError) as fault:
        row = {"status": FAILED, "reason": f"{type(fault).__name__}: {fault}"}
    return row | {"seconds": round(time.monotonic() - began, 3)}
