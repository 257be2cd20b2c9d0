"""One modelled call whose sampled blocks are counted as all others run: what it wrote is whole."""

from collections.abc import Mapping

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan
from cudamaster.toolchain.traces import Written
from mskernelbench.checking import COMPARISON, failure_refusal, mismatch_sentence
from mskernelbench.evaluation import Status
from mskernelbench.guards import Refusal, first_refusal
from mskernelbench.guards.times import bytes_left_out
from mskernelbench.lane import Lane
from mskernelbench.operator import Contract, Workload
from mskernelbench.seeds import generator
from mskernelbench.spots import Asked, wrong_words
from mskernelbench.tolerance import compare
from mskernelbench.whole_times import Within

OF_SAMPLES = bytes_left_out.__name__.rpartition(".")[2]
"""The guard that takes sampled blocks for all others: here it is known what these wrote."""


def timed_within(
    lane: Lane, candidate: Build, workload: Workload, *, known: bool, most_seconds: float | None = None
) -> Within:
    """Its time, and what is wrong with it: some of what it wrote is compared.

    With the answer where that is `known`, and is at hand; else with what pieces of the workload say. Which
    blocks are counted follows from the verdict's hidden draw: of the others only the instructions are known.
    """
    arguments = lane.materials.arguments(workload)
    seed = int(generator(lane.materials.surprise, f"within {workload.label}").integers(2**31))
    plan = TimingPlan(
        samples=1, seed=seed, anywhere=True, within=True, traces=True, most_seconds=most_seconds
    )
    timing = lane.device.time(candidate, arguments, plan)
    if isinstance(timing, RunFailure):
        slow = timing.kind is FailureKind.TIMED_OUT
        return Within(None, refusal=None if slow else failure_refusal(timing, workload))
    refusal = _wrong(lane, Asked(lane.operator, lane.precision, workload, arguments), timing, known)
    refusal = refusal or first_refusal("times", lane.evidence(workload, timing), {*lane.without, OF_SAMPLES})
    return Within(timing.median_ms, lane.right_in_samples(workload, timing), refusal)


def _wrong(lane: Lane, asked: Asked, timing: Timing, known: bool) -> Refusal | None:
    """Why the call is refused for what it wrote."""
    words = _left_out(asked, timing.written)
    if words is None:
        words = _wrong_words(lane, asked, timing.written) if known else wrong_words(asked, timing.written)
    if words is None:
        return None
    return Refusal(Status.WRONG, f"where its time is taken, {words}", rule=COMPARISON)


def _wrong_words(lane: Lane, asked: Asked, written: Mapping[str, Written]) -> str | None:
    """What is wrong with the elements that were looked at, by the answer."""
    for name, found in written.items():
        answer = lane.materials.answers(asked.workload)[name]
        reference, bound = answer.reference.reshape(-1), answer.bound.reshape(-1)
        comparison = compare(found.values, reference[found.places], bound[found.places])
        if not comparison.right:
            return mismatch_sentence(name, comparison, f"what is looked at of {asked.workload.label}")
    return None


def _left_out(asked: Asked, written: Mapping[str, Written]) -> str | None:
    """Which output the call has left out elements of."""
    if asked.operator.contract is not Contract.POISONED:
        return None
    for name, found in written.items():
        if found.left_out:
            return f"{found.left_out} elements of {name} are not written ({asked.workload.label})"
    return None
