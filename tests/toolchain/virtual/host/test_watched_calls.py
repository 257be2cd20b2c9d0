"""Watched calls: reading what nothing has written is told, whoever wrote the rest; freed memory is gone."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.hosting import Region
from cudamaster.toolchain.devices.virtual.session import CallReport, Session
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from tests.toolchain.virtual.host.recording import Build

Call = Callable[[str], CallReport]


@pytest.fixture
def call(built: Build) -> Iterator[Call]:
    """`call("entry")` watches one call with a blank output of 32 integers."""
    session = Session(built(Path(__file__).with_name("watched.cu")), load_gpu("h200").device)
    y = np.zeros(32, np.int32)
    regions = [Region(y.ctypes.data, y.nbytes, writable=True, name="y", blank=True)]

    def watched(entry: str) -> CallReport:
        session.watch(regions)
        return session.call(entry, [y.ctypes.data])

    with session.buffers(regions):
        yield watched


@pytest.mark.parametrize(
    ("entry", "line", "message"),
    [
        ("reads_unset", 2, "reads 4 bytes at byte 124 of memory from cudaMalloc, which nothing has written"),
        (
            "counts_on_unset",
            5,
            "updates 4 bytes at byte 0 of memory from cudaMalloc, which nothing has written",
        ),
        ("accumulates_into", 4, "reads 4 bytes at byte 0 of y, which nothing has written"),
    ],
)
def test_a_read_of_unset_memory_is_told(call: Call, entry: str, line: int, message: str) -> None:
    report = call(entry)
    assert not report.failed
    assert [(f.kind, f.line, f.message) for f in report.faults] == [("uninitialised", line, message)]


@pytest.mark.parametrize("entry", ["reads_set", "clears_and_copies", "keeps_a_workspace", "host_writes"])
def test_memory_that_a_kernel_a_copy_or_the_host_wrote_is_set(call: Call, entry: str) -> None:
    for _ in range(2):
        report = call(entry)
        assert not report.failed, report.reason
        assert (report.faults, report.notes) == ((), ())


def test_freed_memory_stays_freed_while_more_is_allocated(call: Call) -> None:
    report = call("uses_freed")
    assert report.fault is not None
    assert (report.fault.kind, report.fault.line, report.fault.thread) == ("use_after_free", 2, (0, 0, 0))


def test_an_allocation_that_was_refused_is_named_with_what_came_of_it(call: Call) -> None:
    report = call("allocates_too_much")
    assert report.reason.startswith("reads 4 bytes through a null pointer, at address 0x0, thread (0, 0, 0)")
    assert report.reason.endswith("after an allocation of 1125899906842624 bytes was refused")


def test_the_next_call_is_not_watched(built: Build) -> None:
    session = Session(built(Path(__file__).with_name("watched.cu")), load_gpu("h200").device)
    y = np.zeros(32, np.int32)
    regions = [Region(y.ctypes.data, y.nbytes, writable=True, name="y", blank=True)]
    with session.buffers(regions):
        session.watch(regions)
        assert len(session.call("reads_unset", [y.ctypes.data]).faults) == 1
        assert session.call("reads_unset", [y.ctypes.data]).faults == ()
