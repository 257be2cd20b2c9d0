"""What each part says of a GPU whose answers and times are known: a scripted one, with a scripted model."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.gpu_check.kept_rows import rows_of
from benchmarks.gpu_check.modelling import agreement
from benchmarks.gpu_check.nouns import Part, Row, Session
from benchmarks.gpu_check.parts import baselines, clock, counters, gauntlet, pairs, sanitizer, stored, vendor
from benchmarks.gpu_check.running import run_part
from benchmarks.rank.pairs import PAIRS
from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import Examined, FailureKind, Fault, Outputs, RunFailure
from cudamaster.toolchain.profile import KernelProfile, Launch, Profile
from cudamaster.toolchain.timing import Clock
from mskernelbench.affordable import Limits
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision
from mskernelbench.racing import copy_of
from mskernelbench.vendor.arms import find_arm
from tests.doubles.scripted_device import Compute, Script, ScriptedDevice, answer, honest, outputs
from tests.gauntlet.kernels import cheats

SMALLEST = Limits(flops=0, dram_bytes=0)
ADD = load_operator("vector_add")
RELU = load_operator("relu")
TEXTS = {precision: ADD.baseline(precision) for precision in Precision}


@dataclass
class CountingDevice(ScriptedDevice):
    """One that also counts, and has tools."""

    metrics: dict[str, float] = field(default_factory=dict)
    counted_by: str = "ncu 2025.3"
    faults: tuple[Fault, ...] = ()

    def profile(self, build: Build, arguments: Arguments) -> Profile | RunFailure:
        launch = Launch((1, 1, 1), (32, 1, 1), 0)
        kernel = KernelProfile("k", launch, 1, 1.0, self.metrics, "memory", "DRAM", (), symbol="_Zk")
        return Profile(self.clock, (kernel,), self.counted_by)

    def examine(self, build: Build, arguments: Arguments) -> Examined:
        return Examined(("memcheck",), self.faults)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def gpu(run: Compute, time_ms: Callable[[Arguments], Any] = lambda a: 2.0, **options: Any) -> CountingDevice:
    scripts = {text: Script(run, time_ms) for text in TEXTS.values()}
    return CountingDevice(scripts, clock=Clock.MEASURED, name="cuda:0", **options)


def model(run: Compute, time_ms: float | RunFailure = 0.5, **options: Any) -> CountingDevice:
    scripts = {text: Script(run, lambda arguments: time_ms) for text in TEXTS.values()}
    return CountingDevice(scripts, name="virtual:h200", **options)


def session(device: ScriptedDevice, other: ScriptedDevice, pool: ThreadPoolExecutor) -> Session:
    return Session(device, other, pool, (ADD.name,), sizes=SMALLEST)


def done(part: Part, checked: Session, folder: Path) -> list[Row]:
    run_part(part, checked, folder, lambda row: None)
    return rows_of(folder, part.name)


def shifted(arguments: Arguments) -> Outputs:
    """A little beside the answer: within no bound."""
    return outputs({name: value + np.float32(0.5).astype(value.dtype) for name, value in answer(ADD, arguments).items()})  # fmt: skip  # noqa: E501


def test_a_right_gpu_agrees_with_a_right_model_byte_for_byte(
    pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    rows = done(baselines.PART, session(gpu(honest(ADD)), model(honest(ADD)), pool), tmp_path)
    assert [row["key"] for row in rows] == ["vector_add/fp32/baseline", "vector_add/bf16/baseline"]
    figures = baselines.figures(rows)
    counts = {name: figures[name] for name in ("measured", "right", "agree", "same_bytes", "times")}
    assert counts == {"measured": 2, "right": 2, "agree": 2, "same_bytes": 2, "times": 4}
    assert [time["set"] for time in rows[0]["times"]] == ["paper", "real"]
    assert rows[0]["times"][0]["ms"] == pytest.approx(2.0, rel=0.02)


def test_a_gpu_that_computes_something_else_is_neither_right_nor_agrees(
    pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    figures = baselines.figures(
        done(baselines.PART, session(gpu(shifted), model(honest(ADD)), pool), tmp_path)
    )
    assert (figures["right"], figures["agree"], figures["same_bytes"]) == (0, 0, 0)
    assert rows_of(tmp_path, "baselines")[0]["objection"] == (
        "the GPU's outputs are wrong; the two differ by more than the tolerance"
    )


def test_a_model_that_is_wrong_too_is_told_apart_from_the_gpu(
    pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    rows = done(baselines.PART, session(gpu(honest(ADD)), model(shifted), pool), tmp_path)
    assert rows[0]["outputs"]["error_ratio"] <= 1 < float(rows[0]["outputs"]["model_error_ratio"])


def test_the_factor_that_calibrates_the_model_is_measured_over_modelled(
    pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    rows = done(baselines.PART, session(gpu(honest(ADD)), model(honest(ADD)), pool), tmp_path)
    found = agreement(rows)
    assert found["times"] == 4
    assert found["calibration"]["factor"] == pytest.approx(4.0, rel=0.02)


def test_what_the_model_does_not_know_is_said_beside_the_measured_time(
    pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    unknown = RunFailure(FailureKind.UNSUPPORTED, "no such opcode")
    checked = session(gpu(honest(ADD)), model(honest(ADD), unknown), pool)
    rows = done(baselines.PART, checked, tmp_path)
    assert rows[0]["times"][0]["model"] == "unsupported: no such opcode"
    assert agreement(rows)["times"] == 0


def test_a_model_that_does_not_compile_a_kernel_costs_the_gpu_nothing(
    pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    rows = done(baselines.PART, session(gpu(honest(ADD)), CountingDevice({}), pool), tmp_path)
    assert [row["status"] for row in rows] == ["done", "done"]
    assert "this source is in no script" in rows[0]["outputs"]["model"]
    assert "this source is in no script" in rows[0]["times"][0]["model"]


def test_metrics_are_compared_where_ncu_counted(pool: ThreadPoolExecutor, tmp_path: Path) -> None:
    device = gpu(honest(ADD), metrics={"dram_read_bytes": 100.0, "only_ncu": 1.0})
    other = model(honest(ADD), metrics={"dram_read_bytes": 90.0, "only_model": 1.0})
    rows = done(counters.PART, session(device, other, pool), tmp_path)
    assert rows[0]["metrics"] == {"dram_read_bytes": [100.0, 90.0]}
    ratios = counters.figures(rows)["modelled_to_measured"]
    assert ratios == {"dram_read_bytes": {"kernels": 2, "median_ratio": 0.9}}


def test_counters_end_at_the_first_profile_that_ncu_did_not_count(
    pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    device = gpu(honest(ADD), counted_by="the time model of virtual:h200")
    rows = done(counters.PART, session(device, model(honest(ADD)), pool), tmp_path)
    assert [row["status"] for row in rows] == ["skipped"]


def test_a_published_order_is_held_against_both_clocks(pool: ThreadPoolExecutor, tmp_path: Path) -> None:
    pair = max(PAIRS, key=lambda pair: pair.least)
    text = pair.source("slow").text
    slow_then_fast = iter((30.0, 1.0)), iter((1.0, 1.0))
    device, other = (
        ScriptedDevice({text: Script(honest(ADD), lambda a, times=times: next(times))}, clock)
        for times, clock in zip(slow_then_fast, (Clock.MEASURED, Clock.MODELLED), strict=True)
    )
    row = pairs.measure(
        Session(device, other, pool, ()), pair, pairs.prepare(Session(device, other, pool, ()), pair)
    )
    assert (row["as_published"], row["model_agrees"]) == (True, False)
    assert row["measured_ratio"] == pytest.approx(30, rel=0.03)
    assert [time["modelled_ms"] for time in row["times"]] == [1.0, 1.0]


@pytest.mark.parametrize(("time_ms", "right"), [(1.0, True), (0.2, False)])
def test_a_cheat_may_be_accepted_as_long_as_it_gains_nothing(
    pool: ThreadPoolExecutor, time_ms: float, right: bool
) -> None:
    cheat = next(cheat for cheat in cheats() if cheat.gpu and cheat.operator == RELU.name)
    baseline = RELU.baseline(Precision.FP32)
    scripts = {baseline: Script(honest(RELU)), f"{baseline}\n// a copy\n": Script(honest(RELU))}
    scripts[cheat.source] = Script(honest(RELU), lambda arguments: time_ms)
    device = ScriptedDevice(scripts, Clock.MEASURED)
    checked = Session(device, device, pool, (RELU.name,), sizes=SMALLEST)
    item = next(item for item in gauntlet.items(checked) if item.key == cheat.name)
    row = item.measure(item.prepare())
    assert row["right"] is right
    assert ("objection" in row) is not right


def test_stored_kernels_are_judged_by_the_referee(pool: ThreadPoolExecutor, tmp_path: Path) -> None:
    spmv = load_operator("spmv_csr")
    texts = [kernel.text for kernel in stored.stored_kernels([spmv.name])]
    assert texts
    scripts = {text: Script(honest(spmv), lambda arguments: 0.5) for text in texts}
    for precision in Precision:
        baseline = spmv.baseline(precision)
        scripts |= {text: Script(honest(spmv)) for text in (baseline, f"{baseline}\n// a copy\n")}
    device = ScriptedDevice(scripts, Clock.MEASURED, name="cuda:0")
    rows = done(stored.PART, Session(device, device, pool, (spmv.name,), sizes=SMALLEST), tmp_path)
    assert stored.figures(rows) == {"judged": len(texts), "correct": len(texts), "faster": len(texts)}
    assert {time["set"] for row in rows for time in row["times"]} == {"paper", "real"}


def test_a_fault_that_a_tool_finds_is_told_with_its_kernel(pool: ThreadPoolExecutor, tmp_path: Path) -> None:
    fault = Fault("race", "a write and a read are not ordered", "add", 7)
    device = gpu(honest(ADD), faults=(fault,))
    rows = done(sanitizer.PART, session(device, model(honest(ADD)), pool), tmp_path)
    faulty = sanitizer.figures(rows)["faulty"]
    assert faulty["vector_add/fp32/baseline"] == [
        "race: a write and a read are not ordered (kernel add, line 7)"
    ]


def test_a_device_without_tools_ends_the_part(pool: ThreadPoolExecutor, tmp_path: Path) -> None:
    device = ScriptedDevice({text: Script(honest(ADD)) for text in TEXTS.values()})
    rows = done(sanitizer.PART, session(device, model(honest(ADD)), pool), tmp_path)
    assert [row["status"] for row in rows] == ["skipped"]


@pytest.mark.parametrize(("drift", "holds"), [(1.0, True), (1.2, False)])
def test_a_clock_is_tried_on_nothing_on_copies_and_on_a_kernel_beside_itself(
    pool: ThreadPoolExecutor, tmp_path: Path, drift: float, holds: bool
) -> None:
    text = clock.SOURCE.read_text()
    scripts = {text: Script(honest(ADD), lambda arguments: 0.5)}
    scripts[copy_of(KernelSource(text, clock.COPY)).text] = Script(honest(ADD), lambda arguments: 0.5 * drift)
    device = ScriptedDevice(scripts, Clock.MEASURED)
    rows = done(clock.PART, Session(device, device, pool, (), sizes=Limits(0, 2 << 20)), tmp_path)
    assert [row["key"] for row in rows] == ["empty", "copy 1 MiB", "control"]
    figures = clock.figures(rows)
    assert figures["empty_us"] == pytest.approx(500, rel=0.02)
    assert figures["best_share_of_peak"] == pytest.approx((2 << 20) / 0.5e-3 / 4.8e12, rel=0.02)
    assert figures["control_holds_1"] is holds
    assert ("objection" in rows[-1]) is not holds


def test_a_modelled_clock_is_not_held_against_itself(pool: ThreadPoolExecutor, tmp_path: Path) -> None:
    device = ScriptedDevice({clock.SOURCE.read_text(): Script(honest(ADD))})
    rows = done(clock.PART, Session(device, device, pool, (), sizes=SMALLEST), tmp_path)
    assert [row["status"] for row in rows] == ["done", "done", "skipped"]


SCAN = load_operator("prefix_sum")


def arms(script: Script, pool: ThreadPoolExecutor) -> Session:
    texts = [arm.source.text for precision in Precision if (arm := find_arm(SCAN, precision))]
    device = CountingDevice(dict.fromkeys(texts, script), clock=Clock.MEASURED, name="cuda:0")
    return Session(device, device, pool, (SCAN.name, ADD.name), sizes=SMALLEST)


def test_vendor_arms_are_timed_where_an_operator_has_one(pool: ThreadPoolExecutor, tmp_path: Path) -> None:
    rows = done(vendor.PART, arms(Script(honest(SCAN), lambda arguments: 0.25), pool), tmp_path)
    assert [row["key"] for row in rows] == ["prefix_sum/fp32/baseline", "prefix_sum/bf16/baseline"]
    assert set(rows[0]["vendor"]["ms"].values()) == {0.25}
    figures = vendor.figures(rows)
    assert (figures["arms"], figures["right"]) == (2, 2)
    assert figures["libraries"].startswith("CUB ")


def test_a_vendor_arm_that_does_not_run_is_skipped_with_its_words(
    pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    refused = RunFailure(FailureKind.LAUNCH_FAILED, "no handle")
    rows = done(vendor.PART, arms(Script(lambda arguments: refused), pool), tmp_path)
    assert [(row["status"], row["reason"]) for row in rows] == [("skipped", "launch_failed: no handle")] * 2
