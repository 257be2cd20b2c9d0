"""The parts of a check, each a module of this folder with a `PART`, in order of value.

What only measures comes first, since whatever else goes wrong then is known already; what hangs kernels on
purpose follows.
"""

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
    vendor,
)

PARTS: tuple[Part, ...] = (
    clock.PART,
    baselines.PART,
    stored.PART,
    counters.PART,
    pairs.PART,
    contract.PART,
    gauntlet.PART,
    vendor.PART,
    sanitizer.PART,
)
