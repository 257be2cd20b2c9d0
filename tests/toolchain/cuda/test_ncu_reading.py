"""Nsight Compute's counters become our metrics, with our names and units."""

from pathlib import Path

import pytest

from cudamaster.toolchain.build import Build, KernelResources
from cudamaster.toolchain.devices.cuda.ncu_metrics import metric_values, wanted_counters
from cudamaster.toolchain.devices.cuda.ncu_reading import kernels_of, load_actions
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.metrics import METRICS
from tests.doubles.ncu import FakeAction, FakeCounter, FakePlace, launch_counters, sampled

STALLS = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
SAMPLES = "smsp__pcsamp_warps_issue_stalled_{}"
BUILD = Build(
    source=KernelSource("", "scale", "kernel.cu"), key="", architecture="sm_90a", library=None, ptx=None,
    host_object=None, resources=(KernelResources("scale", 40, 0, 8, 4, 16),), diagnostics=(), log="",
    seconds=0.0, cached=False,
)  # fmt: skip


def launch(nanoseconds: float = 4000.0, grid: int = 64) -> FakeAction:
    return FakeAction("scale", launch_counters((grid, 1, 1), (256, 1, 1), nanoseconds))


def with_counters(counters: dict[str, FakeCounter]) -> FakeAction:
    return FakeAction("scale", launch_counters((64, 1, 1), (256, 1, 1), 4000.0) | counters)


def test_a_time_is_in_microseconds_and_a_size_in_bytes() -> None:
    values = metric_values(with_counters({"dram__bytes_read.sum": FakeCounter(2, "Mbyte")}))
    assert (values["duration"], values["dram_read_bytes"]) == (4.0, 2e6)


def test_a_sum_needs_all_its_counters() -> None:
    loads, stores = ("l1tex__t_bytes_pipe_lsu_mem_local_op_" + end for end in ("ld.sum", "st.sum"))
    both = {loads: FakeCounter(64, "byte"), stores: FakeCounter(32, "byte")}
    assert metric_values(with_counters(both))["local_bytes"] == 96
    assert "local_bytes" not in metric_values(with_counters({loads: FakeCounter(64, "byte")}))


def test_a_stall_is_a_share_of_the_cycles_between_instructions() -> None:
    counters = {
        STALLS.format("barrier"): FakeCounter(3.0),
        "smsp__average_warp_latency_per_inst_issued.ratio": FakeCounter(12.0),
    }
    assert metric_values(with_counters(counters))["stall_barrier"] == pytest.approx(25)


def test_what_was_not_counted_is_absent() -> None:
    counters = {
        "lts__t_sector_hit_rate.pct": FakeCounter(None),
        "l1tex__t_sector_hit_rate.pct": FakeCounter(float("nan")),
        "sm__throughput.avg.pct_of_peak_sustained_elapsed": FakeCounter("n/a"),
    }
    assert {"l2_hit_rate", "l1_hit_rate", "sm_throughput"}.isdisjoint(metric_values(with_counters(counters)))


def test_each_counter_is_asked_for_once_and_is_no_expression() -> None:
    wanted = wanted_counters()
    assert len(set(wanted)) == len(wanted)
    assert not [name for name in wanted if " " in name or "," in name]
    assert {m.ncu for m in METRICS.values() if m.ncu and " " not in m.ncu} <= set(wanted)


def test_launches_alike_are_one_kernel_with_their_times_added_and_metrics_averaged() -> None:
    actions = (launch(4000.0), launch(6000.0), launch(1000.0, grid=8))
    long, short = kernels_of(actions, BUILD)
    assert (long.launches, long.time_ms, long.metrics["duration"]) == (2, pytest.approx(0.01), 5.0)
    assert (short.launches, short.launch.grid) == (1, (8, 1, 1))
    assert (long.name, long.symbol) == ("scale(float *, int)", "scale")
    assert (long.launch.block, long.launch.dynamic_shared_bytes) == ((256, 1, 1), 1024)


def test_spills_come_from_the_compiler() -> None:
    (kernel,) = kernels_of([launch()], BUILD)
    assert kernel.metrics["spill_bytes_per_thread"] == 12


@pytest.mark.parametrize(
    ("compute", "memory", "bound"), [(80.0, 70.0, "compute"), (20.0, 92.0, "memory"), (30.0, 40.0, "latency")]
)
def test_the_side_nearer_its_peak_binds_and_below_60_percent_latency_does(
    compute: float, memory: float, bound: str
) -> None:
    counters = {
        "sm__throughput.avg.pct_of_peak_sustained_elapsed": FakeCounter(compute, "%"),
        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": FakeCounter(memory, "%"),
        "dram__throughput.avg.pct_of_peak_sustained_elapsed": FakeCounter(memory, "%"),
    }
    (kernel,) = kernels_of([with_counters(counters)], BUILD)
    assert kernel.bound == bound
    assert f"DRAM at {memory:.0f} % of peak" in kernel.bound_by


def test_the_smallest_limit_holds_occupancy_down_unless_the_grid_does() -> None:
    limits = {"registers": 4, "shared_mem": 7, "warps": 8, "blocks": 32}
    counters = {f"launch__occupancy_limit_{name}": FakeCounter(n) for name, n in limits.items()}
    waves = "launch__waves_per_multiprocessor"
    (full,) = kernels_of([with_counters(counters | {waves: FakeCounter(2.5)})], BUILD)
    (small,) = kernels_of([with_counters(counters | {waves: FakeCounter(0.4)})], BUILD)
    assert (full.occupancy_limiter, small.occupancy_limiter) == ("registers", "grid")


def test_hot_lines_are_those_of_the_source_that_hold_samples() -> None:
    counters = {
        SAMPLES.format("long_scoreboard"): sampled({16: 60, 32: 5}),
        SAMPLES.format("selected"): sampled({16: 20, 48: 15}),
        SAMPLES.format("long_scoreboard_not_issued"): sampled({16: 60}),
    }
    places = {
        16: FakePlace("/tmp/x/kernel.cu", 7),
        32: FakePlace("kernel.cu", 9),
        48: FakePlace("half.hpp", 3),
    }
    action = FakeAction("scale", counters, places)
    (kernel,) = kernels_of([action], BUILD)
    assert [(hot.line, hot.share) for hot in kernel.hot_lines] == [(7, 0.8), (9, 0.05)]
    assert kernel.hot_lines[0].why == "waits for global or local memory; issues"


def test_a_launch_without_samples_has_no_hot_lines() -> None:
    (kernel,) = kernels_of([launch()], BUILD)
    assert kernel.hot_lines == ()


def test_the_double_has_no_method_that_nvidias_package_lacks() -> None:
    package = pytest.importorskip("ncu_report", reason="the extra gpu is not installed")
    used = {
        package.IAction: ("name", "metric_names", "metric_by_name", "source_info", "NameBase_MANGLED"),
        package.IMetric: ("value", "unit", "num_instances", "as_uint64", "correlation_ids"),
        package.ISourceInfo: ("file_name", "line"),
        package.IContext: ("num_ranges", "range_by_idx"),
        package.IRange: ("num_actions", "action_by_idx"),
    }
    assert not [(kind, name) for kind, names in used.items() for name in names if not hasattr(kind, name)]


def test_a_file_that_is_no_report_holds_no_launches(tmp_path: Path) -> None:
    pytest.importorskip("ncu_report", reason="the extra gpu is not installed")
    (tmp_path / "profile.ncu-rep").write_bytes(b"no report")
    assert load_actions(tmp_path / "profile.ncu-rep", tmp_path / "ncu") == ()
