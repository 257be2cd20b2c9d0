"""Pairs of kernels whose order is published (`benchmarks.rank`), measured, and modelled beside it."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from benchmarks.gpu_check.modelling import of_build
from benchmarks.gpu_check.nouns import DONE, FAILED, Item, Part, Row, Session
from benchmarks.rank.__main__ import Ranked
from benchmarks.rank.pairs import PAIRS, SAME, Pair
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan
from mskernelbench.ratios import RESOLUTION

ENTRIES = ("slow", "fast")


class Prepared(NamedTuple):
    """Both kernels of a pair, built for the GPU, with their modelled times."""

    builds: tuple[Build, ...]
    modelled: tuple[Timing | RunFailure, ...]


def items(session: Session) -> Sequence[Item]:
    """The pairs that differ most, first."""
    pairs = sorted(PAIRS, key=lambda pair: -pair.least)
    return [
        Item(pair.name, partial(prepare, session, pair), partial(measure, session, pair)) for pair in pairs
    ]


def sources(operators: Sequence[str]) -> Iterator[KernelSource]:
    """Both of every pair, whatever the operators."""
    return (pair.source(entry) for pair in PAIRS for entry in ENTRIES)


def prepare(session: Session, pair: Pair) -> Prepared:
    """Builds, and what the model says."""
    builds = tuple(session.device.build(pair.source(entry)) for entry in ENTRIES)
    models = tuple(session.model.build(pair.source(entry)) for entry in ENTRIES)
    return Prepared(builds, tuple(_time(session.model, build, pair, 1) for build in models))


def measure(session: Session, pair: Pair, prepared: Prepared) -> Row:
    """Both times and their ratio, on either clock."""
    for build in prepared.builds:
        if not build.ok:
            return {"status": FAILED, "reason": build.first_error}
    measured = tuple(_time(session.device, build, pair, 20) for build in prepared.builds)
    ratio, modelled = _ratio(measured), _ratio(prepared.modelled)
    if isinstance(ratio, str):
        return {"status": FAILED, "reason": ratio}
    row: Row = {"status": DONE, "operator": pair.operator, "least": pair.least, "measured_ratio": ratio}
    row["as_published"] = Ranked(pair, ratio).right
    row["times"] = list(times(pair, measured, prepared.modelled))
    if isinstance(modelled, str):
        return row | {"model": modelled}
    return row | {"modelled_ratio": modelled, "model_agrees": agree(ratio, modelled)}


def times(
    pair: Pair, measured: Sequence[Timing | RunFailure], modelled: Sequence[Timing | RunFailure]
) -> Iterator[Row]:
    """What each kernel takes on either clock."""
    for entry, *both in zip(ENTRIES, measured, modelled, strict=True):
        names = ("ms", "modelled_ms")
        known = {n: t.median_ms for n, t in zip(names, both, strict=True) if isinstance(t, Timing)}
        yield {"label": entry, "subject": pair.name, "bound": "not declared"} | known


def agree(measured: float, modelled: float) -> bool:
    """Whether both clocks say the same of the order, within the model's resolution."""
    return _order(measured) == _order(modelled)


def _order(ratio: float) -> int:
    return 0 if 1 / RESOLUTION <= ratio <= RESOLUTION else 1 if ratio > 1 else -1


def _time(device: Device, build: Build, pair: Pair, samples: int) -> Timing | RunFailure:
    plan = TimingPlan(samples=samples)
    timing = of_build(build, partial(device.time, arguments=pair.arguments, plan=plan))
    device.release(build)
    return timing


def _ratio(times: Sequence[Timing | RunFailure]) -> float | str:
    """Time of `slow` ÷ time of `fast`, or why there is none."""
    slow, fast = times
    for timing in (slow, fast):
        if isinstance(timing, RunFailure):
            return f"{timing.kind}: {timing.reason}"
    assert isinstance(slow, Timing)
    assert isinstance(fast, Timing)
    return fast.speedup_over(slow)


def figures(rows: Sequence[Row]) -> Row:
    """Pairs as published, and those that the model orders as the GPU does."""
    done = [row for row in rows if row["status"] == DONE]
    differ = [row for row in done if row["least"] != SAME]
    modelled = [row for row in done if "model_agrees" in row]
    return {
        "measured": len(done),
        "as_published": sum(row["as_published"] for row in done),
        "differ": len(differ),
        "model_agrees": sum(row["model_agrees"] for row in modelled),
        "modelled": len(modelled),
        "not_as_published": [row["key"] for row in done if not row["as_published"]],
        "model_disagrees": [row["key"] for row in modelled if not row["model_agrees"]],
    }


PART = Part("pairs", "pairs of kernels whose order is known", 20.0, items, figures, sources)
