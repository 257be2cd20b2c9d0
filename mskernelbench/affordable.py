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
LIGHT = Limits(2**27, 2**22)
"""What costs as good as nothing to compare."""
COSTLY = Limits(2**30, 2**28)
"""Up to this a full verdict compares what it cannot tell to be right otherwise."""
HEAVIEST = Limits(2**33, 2**29)
"""Of what is too heavy for that, one is drawn, up to this: answers take five times the memory of a tensor."""
SPOTTED = Limits(2**38, 2**31)
"""Up to this a full verdict calls a kernel whole to compare some places that can be answered alone."""
SPOT_FLOPS = 2**33
"""Up to this it is always among those called so, if there is time."""
LOOKED_BYTES = 2**28
"""Up to this a heavy workload that is drawn for a look at harder values always gets it."""
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


def in_spots(
    workloads: Sequence[Workload], operator: Operator, precision: Precision, *, least: int = 1
) -> Sequence[Workload]:
    """Those of `workloads` that are compared at some places only: `least` of the lightest, then drawn ones.

    Above SPOT_FLOPS the chance falls with the work: a verdict does not wait for the heaviest each time.
    """
    if operator.cut is None:
        return ()
    rng = secrets.SystemRandom()
    heavy = [w for w in _ranked(workloads, operator) if _within(w, SPOTTED, operator, precision)]
    heavy = [w for w in heavy if not _within(w, COSTLY, operator, precision)]
    drawn = [w for w in heavy[least:] if rng.random() * operator.flops(w.shape) <= SPOT_FLOPS]
    return (*heavy[:least], *rng.sample(drawn, len(drawn)))


def may_be_compared(workload: Workload, operator: Operator, precision: Precision) -> bool:
    """Whether a full verdict compares it where no sample is right, or has it among those that are drawn."""
    most = HEAVIEST if operator.cut is None else SPOTTED
    return any(_within(workload, limits, operator, precision) for limits in (COSTLY, most))


def unlike(workload: Workload, operator: Operator) -> tuple[Workload, ...]:
    """The workload with harder values and with ordinary ones: to be timed, whatever is fit for its size."""
    return _with_values(workload, operator, (operator.probe, *operator.hard, "mixed", "ordinary"))


def harder(workload: Workload, operator: Operator) -> tuple[Workload, ...]:
    """The workload with values that friendly ones stand for where it is timed, as far as checks have them.

    The operator's probing values, those that are hard for it, and numbers of all magnitudes.
    """
    found = _with_values(workload, operator, (operator.probe, *operator.hard, "mixed"))
    return tuple(w for w in found if w.values not in operator.small)


def _with_values(workload: Workload, operator: Operator, names: Sequence[str | None]) -> tuple[Workload, ...]:
    """The workload with each other kind of these values that checks have.

    A matrix that is read from a file has its own.
    """
    checked = {known.values: known.exact for known in operator.in_set("check")}
    kinds = [name for name in dict.fromkeys(names) if name in checked and name != workload.values]
    if workload.matrix is not None:
        return ()
    return tuple(replace(workload, values=name, exact=checked[name]) for name in kinds if name is not None)


def a_harder_one(workloads: Sequence[Workload], operator: Operator) -> tuple[Workload, ...]:
    """The last of the workloads with probing values or, where there are none, with a drawn kind of others."""
    kinds = [other for w in workloads[-1:] for other in harder(w, operator)]
    probing = [w for w in kinds if w.values == operator.probe]
    return tuple(secrets.SystemRandom().sample(probing or kinds, min(1, len(kinds))))


def on_harder_values(
    sampled: Sequence[Workload], operator: Operator, precision: Precision
) -> tuple[Workload, ...]:
    """What is looked at again of workloads that are right in samples: the heaviest and a drawn one.

    Each with another kind of harder values, probing ones among them where there are any. Above LOOKED_BYTES
    the chance falls with the size, so that looks cost about the same everywhere.
    """
    rng = secrets.SystemRandom()
    sizes = {w.key: operator.dram_bytes(w.shape, precision) for w in sampled}
    ranked = [w for w in _ranked(sampled, operator) if rng.random() * sizes[w.key] <= LOOKED_BYTES]
    chosen = [*ranked[-1:], *rng.sample(ranked[:-1], min(1, len(ranked[:-1])))]
    rng.shuffle(chosen)
    found: list[Workload] = []
    for workload in chosen:
        known = {w.values for w in found}
        kinds = [w for w in harder(workload, operator) if w.values not in known]
        probing = [w for w in kinds if w.values == operator.probe]
        found += rng.sample(probing or kinds, min(1, len(kinds)))
    return tuple(found)


def on_other_kinds(compared: Sequence[Workload], operator: Operator) -> tuple[Workload, ...]:
    """What is compared with values that timed workloads do not have.

    The heaviest of those `compared` with the operator's probing values: long sums hide a low precision. And
    each other kind that checks have on the heaviest LIGHT one that is larger than its checks, since kernels
    may take another way there; and a drawn kind on a drawn one, the less often the more it costs. Values that
    are exact are so at their checks' sizes only.
    """
    own = [w for w in compared if w.matrix is None]
    timed = {w.values for w in own}
    checks = [w for w in operator.in_set("check") if w.values not in timed]
    probing = [w for w in checks if w.values == operator.probe][:1]
    probes = [replace(w, values=p.values, exact=p.exact) for w in own[-1:] for p in probing]
    small = (operator.probe, *operator.small)
    kinds = dict.fromkeys(w.values for w in checks if w.values not in small and not w.exact)
    beyond = [_beyond([w for w in checks if w.values == kind], own, operator) for kind in kinds]
    lights = [w for group in beyond for w in [w for w in group if _cost(w, operator) <= 1][-1:]]
    return (*probes, *lights, *_drawn([w for group in beyond for w in group if w not in lights], operator))


def _beyond(checks: Sequence[Workload], compared: Sequence[Workload], operator: Operator) -> list[Workload]:
    """Those `compared` that are larger than the `checks`, which are of one kind, with their values."""
    largest = max(operator.weight(w.shape) for w in checks)
    larger = [w for w in compared if operator.weight(w.shape) > largest]
    return [replace(w, values=checks[0].values) for w in larger]


def _drawn(workloads: Sequence[Workload], operator: Operator) -> Sequence[Workload]:
    chances = [1 / _cost(w, operator) for w in workloads]
    return secrets.SystemRandom().choices(workloads, chances) if workloads else ()


def _cost(workload: Workload, operator: Operator) -> float:
    """Of a comparison, at least 1, which LIGHT ones cost."""
    nbytes = operator.dram_bytes(workload.shape, Precision.FP32)
    return max(1.0, operator.flops(workload.shape) / LIGHT.flops, nbytes / LIGHT.dram_bytes)
