"""Integrals over [a, b] from N samples: a weighted sum of the samples, times one factor."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import fill, probe_integers, unit, values
from mskernelbench.operator import (
    Arrays,
    Parameter,
    Precision,
    Rounding,
    Shape,
    Workload,
    output,
    scalar,
    size,
    tensor,
)

FloatArray = NDArray[np.float64]
PAPER_SAMPLES = tuple(2**power for power in (14, 16, 18, 20, 22))
REAL_SAMPLES = (1_000_003, 2**24, 2**28 + 3)


def samples(shape: Shape) -> int:
    """N."""
    return int(shape["N"])


def shape(count: int, a: float = 0.0, b: float = 1.0) -> Shape:
    """Limits and the number of samples, in the entry's order."""
    return {"a": a, "b": b, "N": count}


def timed_workloads() -> tuple[Workload, ...]:
    """The sets `paper` and `real`."""
    paper = tuple(Workload("paper", shape(count), "smooth") for count in PAPER_SAMPLES)
    return paper + tuple(Workload("real", shape(count, -1.5, 2.0), "smooth") for count in REAL_SAMPLES)


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """The samples."""
    count = samples(workload.shape)
    make = GENERATORS.get(workload.values)
    return {"y": make(rng, count, precision) if make else values(workload.values, rng, count, precision)}


Samples = NDArray[Any]


def smooth(rng: np.random.Generator, count: int, precision: Precision) -> Samples:
    """A positive arch of random height on a random level, with noise: the sum is well conditioned."""
    level, height = (rng.random(2, dtype=np.float32) * (1, 4) + (0.5, 1)).astype(np.float32)
    noise = unit(rng, count)
    t = np.arange(len(noise), dtype=np.float32) / np.float32(len(noise))
    return fill(count, level + height * t * (1 - t) + noise / np.float32(4), precision, rng)


def heavy_last(rng: np.random.Generator, count: int, precision: Precision) -> Samples:
    """The last sample outweighs many: whether it counts shows."""
    y: Samples = smooth(rng, count, precision)
    y[-1] = 4096
    return y


def cancelling(rng: np.random.Generator, count: int, precision: Precision) -> Samples:
    """An odd function with noise: large partial sums that all but vanish in the end."""
    y: Samples = smooth(rng, count, precision)
    half = count // 2
    np.negative(y[:half][::-1], out=y[count - half :])
    return y


def integers(rng: np.random.Generator, count: int, precision: Precision) -> Samples:
    """Whole numbers that fill 12 bits (FP32) or 8 (BF16)."""
    return probe_integers(rng, count, precision)


def ones(rng: np.random.Generator, count: int, precision: Precision) -> Samples:
    """The integral is b − a; an accumulator with 8 bits stops at 256."""
    return np.ones(count, precision.dtype)


def nan_sample(rng: np.random.Generator, count: int, precision: Precision) -> Samples:
    """One NaN: the integral is NaN."""
    y: Samples = smooth(rng, count, precision)
    y[count // 3] = np.nan
    return y


def infinite_sample(rng: np.random.Generator, count: int, precision: Precision) -> Samples:
    """One infinity: the integral is infinite."""
    y: Samples = smooth(rng, count, precision)
    y[count // 3] = np.inf
    return y


GENERATORS: Mapping[str, Callable[[np.random.Generator, int, Precision], Samples]] = {
    "smooth": smooth,
    "heavy_last": heavy_last,
    "cancelling": cancelling,
    "integers": integers,
    "ones": ones,
    "nan_sample": nan_sample,
    "infinite_sample": infinite_sample,
}


def width(workload: Workload) -> float:
    """b − a of the limits as the entry receives them: rounded to FP32."""
    return float(np.float32(workload.shape["b"])) - float(np.float32(workload.shape["a"]))


@dataclass(frozen=True, slots=True)
class Rule:
    """How samples make an integral."""

    weighted: Callable[[FloatArray], float]
    """Weighted sum of the samples; the weights are not negative."""
    factor: Callable[[float, int], float]
    """What the sum is multiplied with, from b − a and N."""

    def reference(self, workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
        """The integral in float64."""
        return {"result": self._integral(workload, arrays["y"].astype(np.float64))}

    def rounding(
        self, workload: Workload, arrays: Arrays, precision: Precision
    ) -> Mapping[str, tuple[Rounding, ...]]:
        """A sum of N products with weights: |factor|·Σ weight·|y|. c holds the factor's few roundings too."""
        scale = np.abs(self._integral(workload, np.abs(arrays["y"].astype(np.float64))))
        return {"result": (Rounding(samples(workload.shape), scale),)}

    def _integral(self, workload: Workload, y: FloatArray) -> FloatArray:
        factor = self.factor(width(workload), samples(workload.shape))
        return np.array([factor * self.weighted(y)])


def signature(least: int) -> tuple[Parameter, ...]:
    """The entry's parameters; a rule needs at least so many samples."""
    return (
        tensor("y", "N samples"),
        output("result", "1"),
        scalar("a"),
        scalar("b"),
        size("N", least=least),
    )


def dram_bytes(shape: Shape, precision: Precision) -> int:
    """All samples and the result once."""
    return precision.value_bytes * (samples(shape) + 1)


def outputs(shape: Shape) -> Mapping[str, tuple[int, ...]]:
    """One number."""
    return {"result": (1,)}
