"""The parts of a check, each a module of this folder with a `PART`, in order of value."""

from benchmarks.gpu_check.nouns import Part
from benchmarks.gpu_check.parts import (
    baselines,
    clock,
    contract,
    counters,
    gauntlet,
    pairs,
    sanitizer,
    stored,
)

PARTS: tuple[Part, ...] = (
    contract.PART,
    clock.PART,
    gauntlet.PART,
    baselines.PART,
    stored.PART,
    pairs.PART,
    counters.PART,
    sanitizer.PART,
)
