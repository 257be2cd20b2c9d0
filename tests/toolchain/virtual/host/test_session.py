"""Sessions: real libraries called with real arguments, their kernels run by the engine."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Scalar
from cudamaster.toolchain.devices.virtual.hosting import Region
from cudamaster.toolchain.devices.virtual.sampling import SamplePlan
from cudamaster.toolchain.devices.virtual.session import Session
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from cudamaster.toolchain.passing import Argument, bf16_bits
from tests.toolchain.virtual.host.recording import Build

COUNT = 1000


@dataclass
class Bench:
    """A session with an input `x` and an output `y` of 1000 floats each."""

    session: Session
    x: NDArray[np.float32]
    y: NDArray[np.float32]

    @property
    def x_address(self) -> int:
        return int(self.x.ctypes.data)

    @property
    def y_address(self) -> int:
        return int(self.y.ctypes.data)


def count_of(value: int) -> Scalar:
    return Scalar("n", value, "int")


@pytest.fixture
def bench(built: Build) -> Iterator[Bench]:
    session = Session(built(Path(__file__).with_name("kernels.cu")), load_gpu("h200").device)
    x, y = np.arange(COUNT, dtype=np.float32), np.zeros(COUNT, np.float32)
    regions = [
        Region(x.ctypes.data, x.nbytes, writable=False, name="x"),
        Region(y.ctypes.data, y.nbytes, writable=True, name="y"),
    ]
    with session.buffers(regions):
        yield Bench(session, x, y)


def test_an_entry_runs_with_its_symbols_and_managed_variables(bench: Bench) -> None:
    arguments: list[Argument] = [
        bench.y_address,
        bench.x_address,
        Scalar("factor", 2.0, "float"),
        count_of(COUNT),
    ]
    report = bench.session.call("with_stream", arguments)
    assert not report.failed
    assert report.leaked_bytes == 0
    assert [request.grid for request in report.launches] == [(4, 1, 1)]
    np.testing.assert_array_equal(bench.y, 2 * bench.x + 13)


def test_an_entry_that_declares_no_stream_is_called_all_the_same(bench: Bench) -> None:
    arguments: list[Argument] = [
        bench.y_address,
        bench.x_address,
        Scalar("factor", 3.0, "float"),
        count_of(COUNT),
    ]
    assert not bench.session.call("without_stream", arguments).failed
    np.testing.assert_array_equal(bench.y, 3 * bench.x + 3)


def test_a_bfloat16_is_passed_by_value(bench: Bench) -> None:
    arguments: list[Argument] = [bench.y_address, Scalar("value", -1.5, "bf16"), count_of(7)]
    assert not bench.session.call("fill_with", arguments).failed
    np.testing.assert_array_equal(bench.y[:8], [-1.5] * 7 + [0])


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (1.0, 0x3F80),
        (1 + 2**-8, 0x3F80),
        (1 + 3 * 2**-8, 0x3F82),
        (-0.0, 0x8000),
        (float("inf"), 0x7F80),
        (float("nan"), 0x7FFF),
    ],
)
def test_bfloat16_rounds_to_nearest_even(value: float, bits: int) -> None:
    assert bf16_bits(value) == bits


def test_a_cooperative_grid_synchronises(bench: Bench) -> None:
    assert not bench.session.call("reverse_all", [bench.y_address, count_of(512)]).failed
    np.testing.assert_array_equal(bench.y[:512], np.arange(512)[::-1])


def test_a_cooperative_grid_is_sampled_among_its_other_blocks(bench: Bench) -> None:
    report = bench.session.call("reverse_all", [bench.y_address, count_of(512)], SamplePlan(blocks=3))
    assert not report.failed
    assert [len(sample.sampled_blocks) for sample, _ in report.samples] == [3]
    np.testing.assert_array_equal(bench.y[:512], np.arange(512)[::-1])


def test_a_tensor_map_made_by_the_drivers_function_and_a_cluster(bench: Bench) -> None:
    arguments: list[Argument] = [bench.y_address, bench.x_address, count_of(COUNT), Scalar("c", 4, "int")]
    report = bench.session.call("halve_by_tensor_map", arguments)
    assert not report.failed
    assert [request.cluster for request in report.launches] == [(4, 1, 1)]
    np.testing.assert_array_equal(bench.y, bench.x / 2 + np.arange(COUNT) // 256)


def test_a_cluster_of_sixteen_needs_an_attribute(bench: Bench) -> None:
    arguments: list[Argument] = [bench.y_address, bench.x_address, count_of(COUNT), Scalar("c", 16, "int")]
    report = bench.session.call("halve_by_tensor_map", arguments)
    assert report.failed
    assert "cudaErrorInvalidClusterSize (912)" in report.reason


def test_other_functions_of_the_driver_are_unsupported_by_name(bench: Bench) -> None:
    with pytest.raises(Unsupported, match="cuCtxCreate"):
        bench.session.call("asks_for_another_driver_call", [])


def test_opted_in_shared_memory_is_there(bench: Bench) -> None:
    bench.y[:] = bench.x
    assert not bench.session.call("large_shared", [bench.y_address, count_of(64)]).failed
    np.testing.assert_array_equal(bench.y[:4], [1, 0, 3, 2])


def test_an_access_past_the_end_is_a_fault_with_its_place(bench: Bench) -> None:
    report = bench.session.call("out_of_bounds", [bench.y_address, count_of(COUNT)])
    assert report.fault is not None
    assert (report.fault.kind, report.fault.thread) == ("out_of_bounds", (8, 0, 0))
    assert report.fault.line == source_line("y[n + threadIdx.x]")
    assert "past the end of y" in report.reason
    assert report.error is not None
    assert report.error.name == "cudaErrorIllegalAddress"
    assert len(report.launches) == 1


def test_a_call_after_a_fault_starts_anew(bench: Bench) -> None:
    bench.session.call("out_of_bounds", [bench.y_address, count_of(COUNT)])
    assert not bench.session.call("reverse_all", [bench.y_address, count_of(64)]).failed


def test_host_code_that_exits_on_errors_cannot_hide_the_fault(bench: Bench) -> None:
    report = bench.session.call("gives_up", [bench.y_address, count_of(COUNT)])
    assert report.fault is not None
    assert report.error is not None
    assert report.error.code == 700


def test_writing_an_input_is_a_fault(bench: Bench) -> None:
    report = bench.session.call("writes_input", [bench.x_address])
    assert report.fault is not None
    assert report.fault.kind == "input_written"
    assert bench.x[0] == 0


def test_a_trap_is_a_launch_failure(bench: Bench) -> None:
    report = bench.session.call("trapping", [count_of(1)])
    assert (report.fault and report.fault.kind, report.error and report.error.code) == ("trap", 719)


def test_a_refused_launch_fails_the_call_even_if_its_error_was_cleared(bench: Bench) -> None:
    report = bench.session.call("bad_launch", [bench.y_address])
    assert report.failed
    assert report.error is None
    assert "<<<(0, 1, 1), (1, 1, 1), 0>>> failed: cudaErrorInvalidConfiguration (9)" in report.reason


def test_a_template_declared_otherwise_than_defined_is_told_so(bench: Bench) -> None:
    """nvcc's own code launches a null pointer there, which fails on hardware too."""
    report = bench.session.call("launches_nothing", [bench.y_address, count_of(COUNT)])
    assert report.failed
    assert "declaration and definition differ in const or __restrict__" in report.reason


def test_leaks_are_counted_without_pinned_host_memory(bench: Bench) -> None:
    assert bench.session.call("leaks", []).leaked_bytes == 6000


def test_a_missing_entry_is_an_attribute_error(bench: Bench) -> None:
    with pytest.raises(AttributeError):
        bench.session.call("nothing_of_this_name", [])


def test_overlapping_buffers_are_refused(bench: Bench) -> None:
    inside = Region(bench.y_address + 16, 64, writable=True, name="view")
    with pytest.raises(ValueError, match="view"), bench.session.buffers([inside]):
        pass


def test_sampling_counts_blocks_and_leaves_memory_as_one_run_does(bench: Bench) -> None:
    plan = SamplePlan(blocks=6, same_launches=2)
    report = bench.session.call("counts", [bench.y_address, count_of(5), Scalar("b", 400, "int")], plan)
    assert not report.failed
    assert [(len(s.sampled_blocks), n) for s, n in report.samples] == [(6, 1), (6, 4)]
    assert len(report.launches) == 5
    np.testing.assert_array_equal(bench.y[200:400], np.full(200, 5.0))
    names = ["memset", "cudaMallocAsync", "memcpy", "cudaMallocAsync"]
    assert list(report.memory_operations) == list(zip(names, (800, 0, 8, 0), strict=True))


def test_a_grid_too_large_to_run_whole_is_only_sampled(bench: Bench) -> None:
    plan = SamplePlan(blocks=6, same_launches=1, whole_below=1000.0)
    report = bench.session.call("counts", [bench.y_address, count_of(3), Scalar("b", 400, "int")], plan)
    assert [n for _, n in report.samples] == [3]
    assert np.count_nonzero(bench.y[200:400]) <= 6


def test_work_that_sampling_skipped_is_not_blamed_on_later_kernels(bench: Bench) -> None:
    plan = SamplePlan(blocks=6, whole_below=1.0)
    report = bench.session.call("scatters", [bench.y_address, Scalar("b", 500, "int")], plan)
    assert not report.failed
    assert [sample.request.kernel[:10] for sample, _ in report.samples] == ["_Z6numberP", "_Z7scatter"]
    np.testing.assert_array_equal(bench.y[:501], [1.0] * 500 + [0.0])


def test_a_fault_in_a_sampled_block_is_found(bench: Bench) -> None:
    report = bench.session.call("out_of_bounds", [bench.y_address, count_of(COUNT)], SamplePlan())
    assert report.fault is not None
    assert report.fault.kind == "out_of_bounds"


def test_sessions_of_one_process_take_turns(bench: Bench, built: Build) -> None:
    second = Session(built(Path(__file__).with_name("kernels.cu")), load_gpu("h200").device)
    data = (ctypes.c_float * 64)()
    with second.buffers([Region(ctypes.addressof(data), 256, writable=True, name="data")]):
        report: Any = second.call("reverse_all", [ctypes.addressof(data), count_of(64)])
    assert not report.failed
    assert data[0] == 63


def source_line(text: str) -> int:
    lines = Path(__file__).with_name("kernels.cu").read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)
