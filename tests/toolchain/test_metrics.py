from dataclasses import replace

import pytest

from cudamaster.toolchain.counts import Counts
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.metrics import METRICS, SECTIONS, measure

COUNTS = Counts(
    spec=load_gpu("h200").device,
    seconds=1e-3,
    clock_hz=1.8e9,
    instructions=1000.0,
    thread_instructions=24000.0,
    entry_lanes=32.0,
    flops=4e6,
    busy={
        "issue": 0.5,
        "fma": 0.4,
        "alu": 0.1,
        "xu": 0.0,
        "fp64": 0.0,
        "tensor": 0.7,
        "lsu": 0.2,
        "l1": 0.3,
        "l2": 0.25,
        "dram": 0.6,
    },
    global_load_requests=100.0,
    global_load_sectors=400.0,
    global_store_requests=50.0,
    global_store_sectors=1600.0,
    global_atomic_requests=0.0,
    global_atomic_lanes=0.0,
    l1_missed_sectors=100.0,
    local_sectors=0.0,
    shared_requests=10.0,
    shared_wavefronts=80.0,
    shared_ideal_wavefronts=10.0,
    l2_bytes=54400.0,
    dram_read_bytes=1600.0,
    dram_write_bytes=2400.0,
    warps_per_sm=32,
    resident_warps=24.0,
    block_limits={"registers": 4, "shared memory": 56, "warps": 8, "blocks": 32},
    waves=1.5,
    blocks=396,
    stalls={"long_scoreboard": 0.7, "barrier": 0.3},
    latency_share=0.2,
    registers_per_thread=64,
    spill_bytes_per_thread=8,
    shared_bytes_per_block=4096,
)


def test_every_metric_says_what_it_means_in_a_known_section() -> None:
    assert all(len(m.meaning) > 30 and m.section in SECTIONS and m.unit for m in METRICS.values())


def test_the_registry_is_keyed_by_name() -> None:
    assert {m.name for m in METRICS.values()} == METRICS.keys()
    assert len(METRICS) >= 25


def test_no_two_metrics_claim_one_nsight_counter() -> None:
    counters = [m.ncu for m in METRICS.values() if m.ncu is not None]
    assert len(counters) == len(set(counters))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("global_load_sectors_per_request", 4.0),
        ("global_store_sectors_per_request", 32.0),
        ("l1_hit_rate", 75.0),
        ("l2_hit_rate", 50.0),
        ("shared_bank_conflicts", 70.0),
        ("shared_wavefronts_per_ideal", 8.0),
        ("threads_per_instruction", 24.0),
        ("branch_divergence", 25.0),
        ("theoretical_occupancy", 50.0),
        ("arithmetic_intensity", 1000.0),
        ("sm_throughput", 70.0),
        ("memory_throughput", 60.0),
        ("tensor_pipe_utilisation", 70.0),
        ("duration", 1000.0),
    ],
)
def test_arithmetic(name: str, value: float) -> None:
    assert measure(COUNTS)[name] == pytest.approx(value)


def test_a_metric_without_anything_to_count_is_absent() -> None:
    without_loads = replace(COUNTS, global_load_requests=0.0, global_load_sectors=0.0, l1_missed_sectors=0.0)
    assert {"global_load_sectors_per_request", "l1_hit_rate"}.isdisjoint(measure(without_loads))


def test_stalls_are_told_where_there_are_any() -> None:
    values = measure(COUNTS)
    assert values["stall_long_scoreboard"] == pytest.approx(70)
    assert values["stall_barrier"] == pytest.approx(30)
    assert "stall_membar" not in values


def test_occupancy_says_what_limits_it() -> None:
    values = measure(COUNTS)
    assert values["theoretical_occupancy"] == pytest.approx(50)
    assert values["achieved_occupancy"] == pytest.approx(37.5)
    limits = {name: value for name, value in values.items() if name.startswith("occupancy_limit_")}
    assert min(limits, key=lambda name: limits[name]) == "occupancy_limit_registers"


def test_a_metric_is_made_of_nsight_counters_in_one_of_three_ways() -> None:
    made_of = {"global_atomic_requests": " + ", "stall_barrier": " / ", "duration": None}
    for name, sign in made_of.items():
        counter = METRICS[name].ncu
        assert counter is not None
        assert (sign in counter) if sign else (" " not in counter)
