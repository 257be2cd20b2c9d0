"""A part goes through its items in order, tells each at once, and ends in its time."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.gpu_check.kept_rows import rows_of
from benchmarks.gpu_check.nouns import Item, Part, Row, Session
from benchmarks.gpu_check.running import run_part
from cudamaster.toolchain.errors import WorkerBroken
from mskernelbench.errors import PackageMissing
from tests.doubles.scripted_device import ScriptedDevice

Measure = Callable[[Any], Row]


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def session(pool: ThreadPoolExecutor, seconds: float = 60.0) -> Session:
    return Session(ScriptedDevice({}), ScriptedDevice({}), pool, (), seconds=seconds)


def part(**measures: Measure) -> Part:
    items = [Item(key, lambda key=key: f"inputs of {key}", measure) for key, measure in measures.items()]
    return Part("part", "shows", 1.0, lambda session: items, lambda rows: {})


def told(part: Part, session: Session, folder: Path) -> list[str]:
    rows: list[Row] = []
    run_part(part, session, folder, rows.append)
    return [f"{row['key']} {row['status']}" for row in rows]


def done(prepared: Any) -> Row:
    return {"status": "done", "from": prepared}


def broken(prepared: Any) -> Row:
    raise WorkerBroken("no worker")


def lacking(prepared: Any) -> Row:
    raise PackageMissing("BF16 needs a package")


def test_items_are_prepared_measured_in_order_and_kept(pool: ThreadPoolExecutor, tmp_path: Path) -> None:
    keys = {f"k{number}": done for number in range(9)}
    assert told(part(**keys), session(pool), tmp_path) == [f"{key} done" for key in keys]
    assert [row["from"] for row in rows_of(tmp_path, "part")] == [f"inputs of {key}" for key in keys]


def test_what_this_machine_lacks_a_package_for_is_skipped_and_says_so(
    pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    assert told(part(a=lacking, b=done), session(pool), tmp_path) == ["a skipped", "b done"]
    assert rows_of(tmp_path, "part")[0]["reason"] == "BF16 needs a package"


@dataclass
class UnguardedDevice(ScriptedDevice):
    left_out: tuple[str, ...] = ("Landlock",)


def test_what_a_device_leaves_out_of_its_guards_stands_in_every_row(
    pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    device = UnguardedDevice({})
    told(part(a=done), Session(device, device, pool, ()), tmp_path)
    assert rows_of(tmp_path, "part")[0]["without"] == ["Landlock"]


def test_a_fault_of_one_item_is_its_row_and_the_next_is_done(
    pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    assert told(part(a=broken, b=done), session(pool), tmp_path) == ["a failed", "b done"]
    assert rows_of(tmp_path, "part")[0]["reason"] == "WorkerBroken: no worker"


def test_begun_again_only_what_is_left_is_done_and_what_was_not_tried_first(
    pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    told(part(a=done, b=broken), session(pool), tmp_path)
    assert told(part(a=broken, b=done, c=done), session(pool), tmp_path) == ["c done", "b done"]


def test_nothing_is_begun_after_its_time(pool: ThreadPoolExecutor, tmp_path: Path) -> None:
    def slow(prepared: Any) -> Row:
        time.sleep(0.2)
        return {"status": "done"}

    assert told(part(a=slow, b=slow), session(pool, seconds=0.1), tmp_path) == ["a done"]


def test_a_row_may_end_its_part(pool: ThreadPoolExecutor, tmp_path: Path) -> None:
    def last(prepared: Any) -> Row:
        return {"status": "skipped", "reason": "no ncu", "ends_part": True}

    assert told(part(a=last, b=done), session(pool), tmp_path) == ["a skipped"]


def test_an_item_whose_process_dies_is_known_to_have_been_begun(
    pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    def dies(prepared: Any) -> Row:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        told(part(a=dies), session(pool), tmp_path)
    assert rows_of(tmp_path, "part") == [{"key": "a", "status": "started"}]
