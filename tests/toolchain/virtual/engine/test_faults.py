"""What a kernel does wrong ends its launch, and is told with its line, thread and buffer."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from cudamaster.toolchain.devices.virtual import faults
from cudamaster.toolchain.devices.virtual.runtime import FAULT_KINDS, KINDS, NativeFault
from cudamaster.toolchain.outputs import Fault

Make = Callable[..., Any]


def fault_of(bench: Any, request: Any) -> Fault:
    fault = bench.engine.launch(request)
    assert isinstance(fault, Fault)
    return fault


def test_a_read_past_the_end_is_told_to_the_byte(bench: Make) -> None:
    b = bench("faulty.cu")
    x, y = b.array(np.zeros(1024), np.float32, name="x"), b.array(np.zeros(1024), np.float32, name="y")
    fault = fault_of(b, b.request("reads_past_the_end", x, y, 1024, grid=4, block=256))
    assert fault.kind == "out_of_bounds"
    assert fault.message == "reads 4 bytes 0 bytes past the end of x (4096 bytes)"
    assert (fault.kernel, fault.line, fault.block, fault.thread) == (
        "reads_past_the_end",
        6,
        (3, 0, 0),
        (253, 0, 0),
    )


def test_a_write_before_the_start_is_told(bench: Make) -> None:
    b = bench("faulty.cu")
    x, y = b.array(np.zeros(64), np.float32, name="x"), b.array(np.zeros(64), np.float32, name="y")
    fault = fault_of(b, b.request("writes_before_the_start", x, y, 64, block=64))
    assert (fault.kind, fault.line, fault.thread) == ("out_of_bounds", 13, (0, 0, 0))
    assert fault.message == "writes 4 bytes 8 bytes before the start of x (256 bytes)"


def test_static_shared_memory_ends_with_its_last_element(bench: Make) -> None:
    b = bench("faulty.cu")
    x, y = b.array(np.zeros(32), np.float32, name="x"), b.array(np.zeros(32), np.float32, name="y")
    fault = fault_of(b, b.request("steps_out_of_its_tile", x, y))
    assert (fault.kind, fault.line, fault.thread) == ("out_of_bounds", 114, (31, 0, 0))
    assert fault.message == "reads 4 bytes 0 bytes past the end of shared memory (132 bytes)"


def test_one_bad_index_among_good_ones_is_found(bench: Make) -> None:
    b = bench("faulty.cu")
    index = np.random.default_rng(0).permutation(32)
    index[17] = 35
    x, y = b.array(np.zeros(32), np.float32, name="x"), b.array(np.zeros(32), np.float32)
    fault = fault_of(b, b.request("gathers", x, b.array(index, np.int32), y))
    assert (fault.kind, fault.line, fault.thread) == ("out_of_bounds", 18, (17, 0, 0))
    assert fault.message == "reads 4 bytes 12 bytes past the end of x (128 bytes)"


def test_freed_memory_is_told(bench: Make) -> None:
    b = bench("faulty.cu", threads=1)
    index, y = b.array(np.arange(32), np.int32), b.array(np.zeros(32), np.float32)
    x = b.array(np.zeros(32), np.float32, name="x")
    request = b.request("gathers", x, index, y)
    assert b.engine.launch(request) is None
    b.native.vg_free(x.ctypes.data)
    fault = fault_of(b, request)
    assert (fault.kind, fault.message) == (
        "use_after_free",
        "reads 4 bytes at byte 0 of x, which was freed",
    )


def test_a_misaligned_pair_is_told(bench: Make) -> None:
    b = bench("faulty.cu")
    x, y = b.array(np.zeros(512), np.uint8, name="x"), b.array(np.zeros(64), np.float32)
    fault = fault_of(b, b.request("reads_pairs", x, y, 4))
    assert (fault.kind, fault.line) == ("misaligned", 23)
    assert fault.message == "reads 8 bytes at byte 4 of x, whose address is not a multiple of 8"
    assert b.engine.launch(b.request("reads_pairs", x, y, 8)) is None


def test_an_access_across_the_end_is_told(bench: Make) -> None:
    b = bench("faulty.cu")
    x, y = b.array(np.zeros(252), np.uint8, name="x"), b.array(np.zeros(64), np.float32)
    fault = fault_of(b, b.request("reads_pairs", x, y, 0))
    assert fault.thread == (31, 0, 0)
    assert fault.message == "reads 8 bytes across the end, of which 4 past it, of x (252 bytes)"


def test_shared_memory_ends_where_the_launch_says(bench: Make) -> None:
    b = bench("faulty.cu")
    x, y = b.array(np.zeros(64), np.float32), b.array(np.zeros(64), np.float32)
    assert b.engine.launch(b.request("shares_too_little", x, y, block=64, shared=256)) is None
    fault = fault_of(b, b.request("shares_too_little", x, y, block=64, shared=240))
    assert (fault.kind, fault.line, fault.thread) == ("out_of_bounds", 29, (60, 0, 0))
    assert "shared memory (240 bytes)" in fault.message


def test_writing_a_read_only_buffer_is_told(bench: Make) -> None:
    b = bench("faulty.cu")
    fault = fault_of(
        b, b.request("writes_input", b.array(np.zeros(32), np.float32, name="x", writable=False))
    )
    assert (fault.kind, fault.line) == ("input_written", 36)
    assert fault.message == "writes 4 bytes at byte 0 of the read-only x"


def test_lanes_of_a_warp_at_different_barriers_are_told(bench: Make) -> None:
    b = bench("faulty.cu")
    fault = fault_of(b, b.request("diverges", b.array(np.zeros(32), np.float32)))
    assert fault.kind == "barrier_divergence"
    assert fault.line in (42, 44)


def test_a_barrier_that_too_few_threads_reach_is_a_deadlock(bench: Make) -> None:
    b = bench("faulty.cu")
    fault = fault_of(b, b.request("waits_for_many", b.array(np.zeros(64), np.float32), block=64))
    assert (fault.kind, fault.line) == ("deadlock", 51)
    assert "barrier 1" in fault.message


def test_polling_for_what_nobody_does_is_a_deadlock(bench: Make) -> None:
    b = bench("faulty.cu")
    fault = fault_of(
        b, b.request("polls", b.array([0], np.int32), b.array(np.zeros(64), np.float32), block=64)
    )
    assert (fault.kind, fault.line) == ("deadlock", 57)


def test_a_loop_in_which_nothing_changes_is_told_at_once(bench: Make) -> None:
    b = bench("faulty.cu")
    begun = time.monotonic()
    fault = fault_of(b, b.request("never_ends", b.array(np.zeros(4), np.float32)))
    assert time.monotonic() - begun < 5
    assert (fault.kind, fault.line) == ("deadlock", 66)
    assert "for ever" in fault.message


def test_an_endless_loop_that_counts_is_cut_off(bench: Make) -> None:
    b = bench("faulty.cu", limit_seconds=0.3)
    fault = fault_of(b, b.request("counts_for_ever", b.array(np.zeros(4), np.uint32)))
    assert fault.kind == "timed_out"


@contextmanager
def beside_others(count: int) -> Iterator[None]:
    """This thread shares one processor with so many others that never rest."""
    places = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(places)})
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        os.sched_setaffinity(0, places)
        for other in others:
            other.kill()
            other.wait()


def test_what_waits_for_a_processor_is_not_cut_off(bench: Make) -> None:
    b = bench("faulty.cu", threads=1)
    request = b.request("counts_far", b.array(np.zeros(4), np.uint32), 1 << 20)
    assert b.engine.launch(request) is None
    before = b.engine.processor_seconds
    assert b.engine.launch(request) is None
    seconds = b.engine.processor_seconds - before
    b.engine.limit_seconds = 2 * seconds
    with beside_others(3):
        begun = time.monotonic()
        assert b.engine.launch(request) is None
        assert time.monotonic() - begun > 2 * seconds


def test_traps_and_assertions_are_told(bench: Make) -> None:
    b = bench("faulty.cu")
    assert b.engine.launch(b.request("traps", 0)) is None
    trap = fault_of(b, b.request("traps", 1))
    assert (trap.kind, trap.line, trap.thread) == ("trap", 73, (5, 0, 0))
    assert (fault_of(b, b.request("traps", 2)).kind, fault_of(b, b.request("traps", 2)).line) == (
        "assert",
        74,
    )


def test_generic_addresses_are_checked_in_the_space_they_lie_in(bench: Make) -> None:
    b = bench("faulty.cu")
    x, y = b.array(np.arange(33), np.float32, name="x"), b.array(np.zeros(32), np.float32)
    assert b.engine.launch(b.request("picks", x, y, 0)) is None
    assert np.array_equal(y, np.arange(32))
    assert b.engine.launch(b.request("picks", x, y, 1)) is None
    assert (
        fault_of(b, b.request("picks", x, y, 2)).line,
        fault_of(b, b.request("picks", x, y, 2)).thread,
    ) == (
        83,
        (31, 0, 0),
    )


def test_after_a_fault_the_engine_goes_on(bench: Make) -> None:
    b = bench("faulty.cu")
    fault_of(b, b.request("traps", 1))
    assert b.engine.launch(b.request("traps", 0)) is None


def test_a_misaligned_pair_of_shared_memory_is_told(bench: Make) -> None:
    b = bench("faulty.cu")
    fault = fault_of(b, b.request("reads_shared_pairs", b.array(np.zeros(64), np.float32), 0))
    assert (fault.kind, fault.line, fault.thread) == ("misaligned", 97, (1, 0, 0))
    assert fault.message == ("reads 8 bytes at byte 4 of shared memory, whose address is not a multiple of 8")


def test_an_index_beyond_a_local_array_is_told(bench: Make) -> None:
    b = bench("faulty.cu")
    y = b.array(np.zeros(32), np.float32)
    assert b.engine.launch(b.request("overruns_local", y, 3)) is None
    fault = fault_of(b, b.request("overruns_local", y, 4))
    assert (fault.kind, fault.line) == ("out_of_bounds", 105)
    assert fault.message == "writes 4 bytes 0 bytes past the end of local memory (16 bytes)"


def test_a_null_pointer_is_called_so(bench: Make) -> None:
    b = bench("faulty.cu")
    request = b.request("writes_input", b.array(np.zeros(32), np.float32))
    fault = fault_of(b, replace(request, parameters=bytes(8)))
    assert (fault.kind, fault.line) == ("out_of_bounds", 36)
    assert fault.message == "writes 4 bytes through a null pointer, at address 0x0"


def test_a_null_pointer_has_nothing_to_do_with_a_buffer_at_a_low_address(bench: Make) -> None:
    b = bench("faulty.cu")
    request = b.request("writes_input", b.array(np.zeros(32), np.float32))
    kind, access = FAULT_KINDS.index("out_of_bounds"), KINDS.index("store")
    native = NativeFault(kind=kind, access=access, line=36, bytes=4, base=1 << 30, size=128)
    fault = faults.fault_of(native, request, b.engine.kernel(request.kernel))
    assert fault.message == "writes 4 bytes through a null pointer, at address 0x0"
