"""Which timed workloads are also compared with the reference: those whose whole run and answer are cheap.

A modelled clock times a kernel from part of its blocks, so that a whole run can cost far more than its time;
on any device the float64 answer is worked out on the CPU.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cudamaster.toolchain.timing import Clock
from mskernelbench.operator import Operator, Precision, Workload


@dataclass(frozen=True, slots=True)
class Limits:
    """What a workload may cost to be compared."""

    flops: int
    dram_bytes: int

    def __mul__(self, factor: int) -> "Limits":
        """Limits `factor` times as wide."""
        return Limits(self.flops * factor, self.dram_bytes * factor)


WHOLE = {Clock.MODELLED: Limits(2**30, 5 * 2**24), Clock.MEASURED: Limits(2**35, 2**28)}
"""For a full verdict."""
QUICK = {Clock.MODELLED: Limits(2**27, 5 * 2**24), Clock.MEASURED: Limits(2**30, 5 * 2**24)}
"""For a verdict on a few workloads, as a search asks for again and again."""
QUICK_COUNT = 2
COSTLY = Limits(2**30, 2**28)
"""Up to this a full verdict compares what it cannot tell to be right otherwise."""
HEAVIEST = Limits(2**33, 2**29)
"""Of what is too heavy for that, one is drawn, up to this: answers take five times the memory of a tensor."""
SPOTTED = Limits(2**38, 2**31)
"""Up to this a full verdict calls a kernel whole to compare some places that can be answered alone."""
USER_FACTOR = 8
"""In a full verdict the lightest of the user's own shapes is compared up to limits this much wider."""


def affordable(
    workloads: Sequence[Workload], operator: Operator, precision: Precision, clock: Clock, *, quick: bool
) -> tuple[Workload, ...]:
    """Those of `workloads` to compare, lightest first; a few of them when it must be `quick`.

    Where none is cheap, the lightest of the user's own within wider limits.
    """

    ranked, whole = _ranked(workloads, operator), WHOLE[clock]
    limits = QUICK[clock] if quick else whole
    chosen = tuple(w for w in ranked if _within(w, limits, operator, precision))
    if chosen:
        return chosen[:QUICK_COUNT] if quick else chosen
    last = whole if quick else whole * USER_FACTOR
    return tuple(w for w in ranked[:1] if w.set == "user" and _within(w, last, operator, precision))


def _ranked(workloads: Sequence[Workload], operator: Operator) -> list[Workload]:
    return sorted(workloads, key=lambda workload: operator.flops(workload.shape))


def _within(workload: Workload, limits: Limits, operator: Operator, precision: Precision) -> bool:
    nbytes = operator.dram_bytes(workload.shape, precision)
    return operator.flops(workload.shape) <= limits.flops and nbytes <= limits.dram_bytes


def at_any_rate(
    workloads: Sequence[Workload], operator: Operator, precision: Precision
) -> tuple[tuple[Workload, ...], tuple[Workload, ...]]:
    """Those of `workloads` that a full verdict compares although it costs something, lightest first.

    And one heavier one, where there is any, that nobody can know beforehand; of operators that cannot be cut.
    """
    light = tuple(w for w in _ranked(workloads, operator) if _within(w, COSTLY, operator, precision))
    if operator.cut is not None:
        return light, ()
    heavy = [w for w in workloads if w not in light and _within(w, HEAVIEST, operator, precision)]
    return light, tuple(secrets.SystemRandom().sample(heavy, min(1, len(heavy))))


def in_spots(workloads: Sequence[Workload], operator: Operator, precision: Precision) -> Sequence[Workload]:
    """Those of `workloads` that are compared at some places only, in an order that nobody can know."""
    if operator.cut is None:
        return ()
    heavy = [w for w in workloads if _within(w, SPOTTED, operator, precision)]
    heavy = [w for w in heavy if not _within(w, COSTLY, operator, precision)]
    return secrets.SystemRandom().sample(heavy, len(heavy))


def probes(compared: Sequence[Workload], operator: Operator) -> tuple[Workload, ...]:
    """The heaviest of what is compared with the operator's probing values: long sums hide a low precision."""
    alike = [workload for workload in operator.in_set("check") if workload.values == operator.probe]
    return tuple(
        replace(w, values=probe.values, exact=probe.exact) for w in compared[-1:] for probe in alike[:1]
    )
