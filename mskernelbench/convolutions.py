"""Valid cross-correlation of one channel in any number of dimensions: stride 1, no padding, no flip."""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, probe_integers, ternary, values
from mskernelbench.operator import Arrays, Precision, Rounding, Shape, Workload

FloatArray = NDArray[np.float64]
Sizes = tuple[int, ...]
Pair = tuple[NDArray[np.generic], NDArray[np.generic]]


def extents(shape: Shape) -> tuple[Sizes, Sizes]:
    """Sizes of the input and of the kernel: the first half of a workload's sizes, and the second."""
    sizes = tuple(int(size) for size in shape.values())
    return sizes[: len(sizes) // 2], sizes[len(sizes) // 2 :]


def result(shape: Shape) -> Sizes:
    """Sizes of the output: everywhere that the whole kernel lies within the input."""
    field, kernel = extents(shape)
    return tuple(n - k + 1 for n, k in zip(field, kernel, strict=True))


def reach(shape: Shape) -> tuple[tuple[int, int], ...]:
    """The kernel begins at an output element's own place."""
    return tuple((0, taps - 1) for taps in extents(shape)[1])


def unfit(shape: Shape) -> str | None:
    """A kernel that is larger than the input."""
    return None if min(result(shape)) > 0 else "the kernel does not fit into the input"


def outputs(shape: Shape) -> Mapping[str, Sizes]:
    """The only output."""
    return {"output": result(shape)}


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """The input and the kernel."""
    field, kernel = extents(workload.shape)
    make = PROBES.get(workload.values)
    if make is not None:
        first, second = make(field, kernel, precision, rng)
    else:
        first, second = (values(workload.values, rng, prod(n), precision) for n in (field, kernel))
    return {"input": first.reshape(field), "kernel": second.reshape(kernel)}


def integers(field: Sizes, kernel: Sizes, precision: Precision, rng: np.random.Generator) -> Pair:
    """Partial sums are whole numbers below 2^24: FP32 is exact in any order, fewer bits are not."""
    return probe_integers(rng, prod(field), precision), ternary(rng, prod(kernel), precision)


def ones(field: Sizes, kernel: Sizes, precision: Precision, rng: np.random.Generator) -> Pair:
    """Every sum is the kernel's size; an accumulator with 8 bits stops at 256."""
    return np.ones(prod(field), precision.dtype), np.ones(prod(kernel), precision.dtype)


def one_hot(field: Sizes, kernel: Sizes, precision: Precision, rng: np.random.Generator) -> Pair:
    """A kernel of signed zeros but for its last tap: the output is the input's last part times one number."""
    taps = np.where(np.arange(prod(kernel)) % 2 == 0, 0.0, -0.0).astype(precision.dtype)
    taps[-1:] = full_mantissa(rng, 1, precision)
    return full_mantissa(rng, prod(field), precision), taps


def cancelling(field: Sizes, kernel: Sizes, precision: Precision, rng: np.random.Generator) -> Pair:
    """Neighbouring taps of opposite sign: sums of large terms that all but cancel."""
    taps: NDArray[Any] = values("ordinary", rng, prod(kernel), precision)
    pairs = prod(kernel) // 2
    np.negative(taps[: 2 * pairs : 2], out=taps[1 : 2 * pairs : 2])
    return values("shifted", rng, prod(field), precision), taps


def nan_cell(field: Sizes, kernel: Sizes, precision: Precision, rng: np.random.Generator) -> Pair:
    """One NaN in the middle and an infinity at the end: they reach as far as the kernel does, no further."""
    first, taps = (values("ordinary", rng, prod(n), precision) for n in (field, kernel))
    first[prod(field) // 2] = np.nan
    first[-1] = np.inf
    return first, taps


PROBES: Mapping[str, Callable[[Sizes, Sizes, Precision, np.random.Generator], Pair]] = {
    "integers": integers,
    "ones": ones,
    "one_hot": one_hot,
    "cancelling": cancelling,
    "nan_cell": nan_cell,
}


def correlate(field: FloatArray, kernel: FloatArray) -> FloatArray:
    """Σ field[i + k]·kernel[k], one tap after another, in float64."""
    total = np.zeros([n - k + 1 for n, k in zip(field.shape, kernel.shape, strict=True)])
    product = np.empty_like(total)
    for tap, weight in np.ndenumerate(kernel):
        window = tuple(slice(at, at + n) for at, n in zip(tap, total.shape, strict=True))
        total += np.multiply(field[window], weight, out=product)
    return total


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
    """The output in float64."""
    with np.errstate(invalid="ignore"):
        return {"output": correlate(*operands(arrays))}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """A sum of as many products as the kernel has taps: Σ|input||kernel|; a one-hot kernel sums one."""
    field, kernel = operands(arrays)
    with np.errstate(invalid="ignore"):
        scale = correlate(np.abs(field), np.abs(kernel))
    return {"output": (Rounding(1 if workload.values == "one_hot" else kernel.size, scale),)}


def operands(arrays: Arrays) -> tuple[FloatArray, FloatArray]:
    """Input and kernel in float64."""
    return arrays["input"].astype(np.float64), arrays["kernel"].astype(np.float64)


def flops(shape: Shape) -> int:
    """A product and an addition for each tap of each output."""
    return 2 * prod(result(shape)) * prod(extents(shape)[1])


def dram_bytes(shape: Shape, precision: Precision) -> int:
    """Input, kernel and output once."""
    field, kernel = extents(shape)
    return precision.value_bytes * (prod(field) + prod(kernel) + prod(result(shape)))


def weight(shape: Shape) -> int:
    """Elements of the input times taps of the kernel."""
    field, kernel = extents(shape)
    return prod(field) * prod(kernel)
