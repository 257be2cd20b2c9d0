"""Watched launches: what hardware usually hides is told with both its lines; honest neighbours stay clean."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.watching import Watch
from cudamaster.toolchain.outputs import Fault

Make = Callable[..., Any]
SOURCE = "watched.cu"


@dataclass(frozen=True)
class Launch:
    """How a pair of kernels is launched: `bad_<name>` and `good_<name>`."""

    threads: int = 128
    grid: int = 1
    shared: int = 0
    kind: Any = np.float32
    cooperative: bool = False


def request_of(b: Any, kernel: str, how: Launch) -> LaunchRequest:
    y = b.array(np.zeros(2048), how.kind, name="y")
    x = b.array(np.arange(2048) % 251, how.kind, name="x", writable=False)
    parameters = b.module.kernels[b.name_of(kernel)].parameters
    arguments = [y, x] if len(parameters) == 2 else [y]
    request = b.request(kernel, *arguments, grid=how.grid, block=how.threads, shared=how.shared)
    return replace(request, cooperative=how.cooperative)


def watched(b: Any, request: LaunchRequest) -> Watch:
    watch = b.engine.watch = Watch()
    assert b.engine.launch(request) is None
    return watch


def faults_of(make: Make, kernel: str, how: Launch, order: str = "forward") -> list[Fault]:
    b = make(SOURCE, order=order)
    return watched(b, request_of(b, kernel, how)).faults


PAIRS = [
    pytest.param("reverse", Launch(), "race", 17, 14, id="missing-syncthreads"),
    pytest.param("tiles", Launch(), "race", 28, 30, id="missing-second-syncthreads"),
    pytest.param("tree", Launch(shared=512), "race", 46, 46, id="tree-without-barrier"),
    pytest.param("broadcast", Launch(), "race", 63, 60, id="broadcast-without-barrier"),
    pytest.param("named", Launch(), "race", 74, 72, id="wrong-named-barrier"),
    pytest.param("handover", Launch(), "race", 91, 88, id="written-after-arrival"),
    pytest.param("exchange", Launch(32), "race", 105, 102, id="missing-syncwarp"),
    pytest.param("copies", Launch(), "in_flight", 191, 185, id="wait-for-too-few-copies"),
    pytest.param("double_buffer", Launch(), "race", 206, 210, id="copy-into-a-buffer-in-use"),
    pytest.param("landed_alone", Launch(), "race", 227, 222, id="waited-but-not-synchronised"),
    pytest.param("total", Launch(32, 4), "race", 243, 243, id="plain-sum-over-blocks"),
    pytest.param("fragments", Launch(64, kind=np.uint16), "race", 322, 314, id="wmma-before-the-barrier"),
    pytest.param("matrices", Launch(64, kind=np.uint32), "race", 341, 337, id="ldmatrix-before-the-barrier"),
    pytest.param("phases", Launch(64), "race", 365, 358, id="mbarrier-not-waited-for"),
    pytest.param("read_back", Launch(), "stale", 394, 391, id="read-as-constant-by-others"),
    pytest.param("in_place", Launch(), "stale", 399, 399, id="read-as-constant-by-itself"),
    pytest.param("bytes", Launch(kind=np.uint8), "race", 379, 376, id="narrow-elements"),
]


@pytest.mark.parametrize(("name", "how", "kind", "line", "other_line"), PAIRS)
def test_a_race_is_told_with_both_lines(
    bench: Make, name: str, how: Launch, kind: str, line: int, other_line: int
) -> None:
    lines = {line, other_line}
    for order in ("forward", "reversed"):
        faults = faults_of(bench, f"bad_{name}", how, order)
        assert (kind, lines) in [(f.kind, {f.line, f.other_line}) for f in faults], faults
        assert all(f.kernel == f"bad_{name}" and f.block and f.thread for f in faults)


HONEST = [
    *(pytest.param(f"good_{p.values[0]}", p.values[1], id=f"without-{p.id}") for p in PAIRS),
    pytest.param("good_last_warp", Launch(64), id="syncwarp-in-the-last-warp"),
    pytest.param("good_volatile_warp", Launch(64), id="volatile-in-the-last-warp"),
    pytest.param("good_atomic_sum", Launch(), id="atomics-on-one-address"),
    pytest.param("good_same_value", Launch(), id="all-write-the-same"),
    pytest.param("good_overlap", Launch(32, 4), id="blocks-write-the-same"),
    pytest.param("good_grid_sync", Launch(32, 4, cooperative=True), id="grid-sync"),
    pytest.param("good_histogram", Launch(64, kind=np.int32), id="cleared-bins"),
]


@pytest.mark.parametrize(("kernel", "how"), HONEST)
def test_an_honest_kernel_is_clean(bench: Make, kernel: str, how: Launch) -> None:
    for order in ("forward", "reversed"):
        b = bench(SOURCE, order=order)
        watch = watched(b, request_of(b, kernel, how))
        doubts = [note for note in watch.notes if kernel != "good_last_warp"]
        assert (watch.faults, doubts) == ([], [])


def test_lanes_that_overwrite_what_others_just_read_are_a_doubt(bench: Make) -> None:
    b = bench(SOURCE)
    watch = watched(b, request_of(b, "bad_last_warp", Launch(64)))
    assert watch.faults == []
    assert {(note.kind, note.line, note.other_line) for note in watch.notes} == {("race", 117, 117)}
    assert "without __syncwarp() they are overwritten" in watch.notes[0].message


def test_a_missing_wait_is_told_with_the_copy_that_is_still_under_way(bench: Make) -> None:
    (fault, *_) = faults_of(bench, "bad_copies", Launch())
    assert fault.message == (
        "a missing wait: the asynchronous copy at line 185 still brings 4 bytes at byte 508 of shared memory "
        "that are read"
    )
    assert str(fault).endswith(
        "that are read, thread (0, 0, 0) of block (0, 0, 0) (kernel bad_copies, line 191)"
    )


def test_a_plain_sum_of_all_threads_is_a_race_within_one_instruction(bench: Make) -> None:
    (fault, *_) = faults_of(bench, "bad_plain_sum", Launch())
    assert (fault.kind, fault.line, fault.other_line) == ("race", 145, 145)


def test_warps_that_write_different_values_to_one_address_are_told(bench: Make) -> None:
    (fault, *_) = faults_of(bench, "bad_winner", Launch())
    assert (fault.kind, fault.line, fault.other_line) == ("race", 386, 386)
    assert fault.message == (
        "a race: thread (0, 0, 0) wrote 4 bytes at byte 0 of y at line 386, "
        "and without __syncthreads() they are overwritten"
    )


def test_atomics_race_with_a_plain_write_before_them(bench: Make) -> None:
    (fault, *_) = faults_of(bench, "bad_zeroing", Launch())
    assert (fault.kind, fault.line, fault.other_line) == ("race", 164, 163)
    assert fault.message == (
        "a race: thread (0, 0, 0) wrote 4 bytes at byte 0 of shared memory at line 163, "
        "and without __syncwarp() they are updated"
    )


def test_blocks_that_read_what_others_write_are_told(bench: Make) -> None:
    (fault, *_) = faults_of(bench, "bad_neighbours", Launch(32, 4), "reversed")
    assert (fault.kind, fault.line, fault.other_line) == ("race", 252, 252)
    assert "of block" in fault.message
    assert "without anything that orders the blocks they are " in fault.message


@pytest.mark.parametrize("kernel", ["bad_last_block", "good_last_block"])
def test_the_last_block_may_read_others_only_behind_a_fence(bench: Make, kernel: str) -> None:
    b = bench(SOURCE)
    y, parts = b.array(np.zeros(64), np.float32), b.array(np.zeros(64), np.float32, name="parts")
    ticket = b.array(np.zeros(1), np.uint32)
    watch = watched(b, b.request(kernel, y, parts, ticket, grid=8, block=64))
    found = [(f.kind, f.line, f.other_line) for f in watch.faults]
    assert found == ([("race", 271, 264)] if kernel.startswith("bad") else [])


def test_unset_shared_memory_is_a_doubt(bench: Make) -> None:
    b = bench(SOURCE)
    watch = watched(b, request_of(b, "bad_histogram", Launch(64, kind=np.int32)))
    assert watch.faults == []
    assert [(n.kind, n.line) for n in watch.notes][:1] == [("uninitialised", 293)]
    assert "of shared memory, which nothing has written" in watch.notes[0].message


def test_unset_device_memory_is_told_whatever_its_type(bench: Make) -> None:
    b = bench(SOURCE)
    b.native.vg_track(1)
    x, y = b.array(np.zeros(32), np.int32, name="x"), b.array(np.zeros(32), np.int32, name="y")
    b.native.vg_blank(x.ctypes.data)
    (fault,) = watched(b, b.request("reads_blank", y, x)).faults
    b.native.vg_track(0)
    assert (fault.kind, fault.line, fault.thread) == ("uninitialised", 303, (0, 0, 0))
    assert fault.message == "reads 4 bytes at byte 0 of x, which nothing has written"
    assert watched(b, b.request("reads_blank", y, x)).faults == []


def test_blocks_beyond_the_allowance_go_unwatched(bench: Make) -> None:
    b = bench(SOURCE)
    y, x = b.array(np.zeros(2048), np.float32), b.array(np.arange(2048), np.float32)
    watch = b.engine.watch = Watch(accesses_left=10)
    assert b.engine.launch(b.request("good_reverse", y, x, grid=1000, block=128)) is None
    assert watch.accesses_left == 0
    assert np.array_equal(y[:128], np.arange(127, -1, -1))
    assert b.engine.launch(b.request("bad_reverse", y, x, block=128)) is None
    assert watch.faults == []
