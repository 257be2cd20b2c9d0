"""What the timing plan claims, on simulated clocks: noise 1 %, 2 % outliers, 3 % drift over a session."""

import numpy as np
import pytest
from scipy.stats import quantile_test

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import TOO_LARGE, FailureKind, Fault, RunFailure
from cudamaster.toolchain.timing import Clock, ClockState, Slowdown, Timing
from mskernelbench.catalog import load_operator
from mskernelbench.errors import UnsteadyClock
from mskernelbench.evaluation import Evaluation
from mskernelbench.operator import Precision, Workload
from mskernelbench.pairing import PAIRS, SPARE_PAIRS, Pairs, comparable
from mskernelbench.racing import copy_of
from mskernelbench.ratios import CONFIDENCE, PROCESS_SPREAD, median_ranks, speedup
from mskernelbench.referee import Referee
from tests.doubles.noisy_clock import NoisyDevice, Times, ratios_in_blocks, ratios_in_pairs
from tests.doubles.scripted_device import Script, honest

SESSIONS = 4000
RELU = load_operator("relu")
WORKLOAD = RELU.in_set("paper")[:1]
FP32 = Precision.FP32
HOT = ClockState(1980.0, frozenset({Slowdown.HEAT}))


def lows(ratios: Times, spread: float = 1.0) -> Times:
    """The lower end of every session's interval, as `speedup` finds it."""
    low, _ = median_ranks(ratios.shape[-1])
    ends: Times = np.sort(ratios, axis=-1)[..., low] / spread
    return ends


def test_an_equally_fast_kernel_is_called_faster_at_most_once_in_a_hundred_sessions() -> None:
    ratios = ratios_in_pairs(np.random.default_rng(1), SESSIONS, PAIRS)
    assert 0 < np.mean(lows(ratios) > 1) <= 0.01
    assert np.mean(lows(ratios, PROCESS_SPREAD) > 1) <= 0.001


def test_a_gain_of_two_percent_is_seen_in_nine_sessions_of_ten() -> None:
    ratios = ratios_in_pairs(np.random.default_rng(2), SESSIONS, PAIRS, gain=0.02)
    assert np.mean(lows(ratios, PROCESS_SPREAD) > 1) >= 0.9


def test_the_intervals_of_these_sessions_are_those_of_a_verdict() -> None:
    ratios = ratios_in_pairs(np.random.default_rng(2), 3, PAIRS, gain=0.02)
    ones = Timing(Clock.MEASURED, (1.0,) * PAIRS, 1)
    found = [speedup(Timing(Clock.MEASURED, tuple(times), 1), ones) for times in ratios.tolist()]
    assert [interval.low for interval in found] == lows(ratios, PROCESS_SPREAD).tolist()
    assert all(interval.low < interval.centre < interval.high for interval in found)


def test_blocks_instead_of_pairs_would_take_drift_for_speed() -> None:
    ratios = ratios_in_blocks(np.random.default_rng(3), SESSIONS, PAIRS)
    assert np.mean(lows(ratios) > 1) > 0.2


def test_the_fastest_of_two_hundred_equal_kernels_looks_faster_until_it_is_timed_again() -> None:
    rng = np.random.default_rng(4)
    searches, candidates = 100, 200
    process = np.exp(rng.normal(0, 0.0025, (searches, candidates, 1)))
    ratios = ratios_in_pairs(rng, searches * candidates, PAIRS).reshape(searches, candidates, PAIRS) * process
    centres = np.median(ratios, axis=-1)
    winner = np.argmax(centres, axis=1)
    again = ratios_in_pairs(rng, searches, PAIRS) * np.exp(rng.normal(0, 0.0025, (searches, 1)))
    assert np.mean(centres[np.arange(searches), winner]) > 1.009
    assert abs(np.mean(np.median(again, axis=-1)) - 1) < 0.001
    assert np.mean(lows(again, PROCESS_SPREAD) > 1) <= 0.01


@pytest.mark.parametrize("count", [8, 20, 50, 51, 200])
def test_the_interval_of_the_median_is_scipys(count: int) -> None:
    values = np.sort(np.random.default_rng(count).normal(size=count))
    expected = quantile_test(values, p=0.5).confidence_interval(CONFIDENCE)
    low, high = median_ranks(count)
    assert (values[low], values[high]) == (expected.low, expected.high)


def test_seven_pairs_are_too_few_for_an_interval() -> None:
    with pytest.raises(ValueError, match="7 pairs are too few"):
        median_ranks(7)


def timing(ms: float, state: ClockState) -> Timing:
    return Timing(Clock.MEASURED, (ms,), 1, (state,))


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        (ClockState(1980.0), ClockState(1965.0), True),
        (ClockState(1980.0), ClockState(1500.0), False),
        (ClockState(1980.0), ClockState(1500.0, frozenset({Slowdown.POWER_CAP})), True),
        (HOT, HOT, False),
        (ClockState(1980.0), ClockState(1980.0, frozenset({Slowdown.POWER_BRAKE})), False),
    ],
)
def test_a_pair_counts_when_both_ran_under_one_clock(
    first: ClockState, second: ClockState, kept: bool
) -> None:
    assert comparable(Pairs(timing(1.0, first), timing(5.0, second))) is kept
    assert comparable(Pairs(timing(5.0, second), timing(1.0, first))) is kept


def test_a_pair_without_a_known_clock_counts() -> None:
    assert comparable(Pairs(Timing(Clock.MEASURED, (1.0,), 1), Timing(Clock.MEASURED, (9.0,), 1)))


def test_every_sample_has_its_own_clock_state() -> None:
    with pytest.raises(ValueError, match="2 samples have 1 clock states"):
        Timing(Clock.MEASURED, (1.0, 1.0), 1, (HOT,))


def judged(gain: float, copy_ms: float = 1.0, **details: object) -> Evaluation:
    """A candidate that is `1 + gain` times as fast as the baseline of 1 ms, on a noisy device."""
    baseline = KernelSource(RELU.baseline(FP32), "RELU")
    scripts = {
        baseline.text: Script(honest(RELU), lambda arguments: 1.0),
        copy_of(baseline).text: Script(honest(RELU), lambda arguments: copy_ms),
        source(gain): Script(honest(RELU), lambda arguments: 1 / (1 + gain)),
    }
    referee = Referee(NoisyDevice(scripts, **details), RELU, FP32)  # type: ignore[arg-type]
    return referee.evaluate(source(gain), timed=WORKLOAD)


def source(gain: float) -> str:
    return f'extern "C" void RELU(float* y, const float* x, int N, cudaStream_t stream) {{}} // {gain}'


def test_the_referee_sees_a_gain_of_two_percent_and_none_where_there_is_none() -> None:
    faster, slower, same = (judged(gain).speedup for gain in (0.02, -0.02, 0.0))
    assert faster is not None
    assert slower is not None
    assert same is not None
    assert 1 < faster.low < 1.02 < faster.high
    assert slower.high < 1
    assert same.low < 1 < same.high
    assert "no difference from the baseline" in judged(0.0).reason


def test_slow_samples_of_a_hot_gpu_do_not_count() -> None:
    def state(call: int) -> ClockState:
        return ClockState(1000.0, HOT.slowed_by) if call % 8 == 0 else ClockState(1980.0)

    evaluation = judged(0.02, state=state)
    assert evaluation.speedup is not None
    assert evaluation.speedup.low > 1
    candidate_ms = evaluation.workloads[-1].candidate_ms
    assert candidate_ms is not None
    assert candidate_ms < 1.0


def test_a_gpu_that_stays_hot_proves_nothing() -> None:
    with pytest.raises(UnsteadyClock, match=f"in more than {SPARE_PAIRS} of {PAIRS + SPARE_PAIRS} pairs"):
        judged(0.02, state=lambda call: HOT)


def test_a_clock_that_tells_a_kernel_from_its_copy_is_not_believed() -> None:
    with pytest.raises(UnsteadyClock, match=r"takes a copy of the baseline for 0\.9"):
        judged(0.02, copy_ms=1.03)


LARGE = RunFailure(FailureKind.UNSUPPORTED, "it needs 9 GiB", Fault(TOO_LARGE, "it needs 9 GiB"))


@pytest.mark.parametrize("whose", ["baseline", "candidate"])
def test_a_workload_that_does_not_fit_on_the_device_is_left_out_with_its_size(whose: str) -> None:
    baseline, candidate = KernelSource(RELU.baseline(FP32), "RELU"), source(1.0)
    small, large = (Workload("user", {"N": n}, "outliers") for n in (100, 5000))

    def timed(factor: float, fits: bool) -> Script:
        def time_ms(arguments: Arguments) -> float | RunFailure:
            return LARGE if "N=5000" in arguments.label and not fits else factor

        return Script(honest(RELU), time_ms)

    scripts = {
        baseline.text: timed(1.0, whose != "baseline"),
        copy_of(baseline).text: timed(1.0, fits=True),
        candidate: timed(0.5, whose != "candidate"),
    }
    referee = Referee(NoisyDevice(scripts), RELU, FP32, shapes=(large, small))
    evaluation = referee.evaluate(candidate)
    assert evaluation.correct, evaluation.reason
    assert "; 1 timed workload was left out: it needs 9 GiB" in evaluation.reason
    rows = {row.shape["N"]: row for row in evaluation.workloads if row.set == "user"}
    assert rows[5000].document() == {"set": "user", "shape": {"N": 5000}, "left_out": "it needs 9 GiB"} | (
        {"error_ratio": 0.0} if rows[5000].error_ratio is not None else {}
    )
    assert rows[100].speedup is not None
    alone = {
        row.shape["N"]: row.left_out for row in referee.baseline().evaluation.workloads if row.set == "user"
    }
    assert alone == {100: None, 5000: "it needs 9 GiB" if whose == "baseline" else None}
