"""Explicit steps of the heat equation on grids of any dimension, whose border cells are copied."""

from collections.abc import Callable, Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, probe_integers, values
from mskernelbench.operator import Arrays, Precision, Rounding, Shape, Workload

FloatArray = NDArray[np.float64]


def dimensions(shape: Shape) -> tuple[int, ...]:
    """Cells along every axis: all sizes of a workload, in their order."""
    return tuple(size for size in shape.values() if isinstance(size, int))


def cells(shape: Shape) -> int:
    """Cells of the grid."""
    return prod(dimensions(shape))


def operations(axes: int) -> int:
    """Rounded operations on the way to one interior cell: the sums of its neighbours, −2n·c, ·r, +c."""
    return 2 * axes + 2


def flops(shape: Shape) -> int:
    """For every interior cell the sums of its neighbours, then r·Σ + (1 − 2n·r)·c: one product, one fused."""
    inside = prod(max(size - 2, 0) for size in dimensions(shape))
    return operations(len(dimensions(shape))) * inside


def dram_bytes(shape: Shape, precision: Precision) -> int:
    """The grid before and after, once."""
    return 2 * precision.value_bytes * cells(shape)


def outputs(shape: Shape) -> Mapping[str, tuple[int, ...]]:
    """The grid after the step."""
    return {"u_new": dimensions(shape)}


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """The grid before the step."""
    sizes, count = dimensions(workload.shape), cells(workload.shape)
    make = PROBES.get(workload.values)
    if make is not None:
        return {"u_old": make(rng, sizes, precision)}
    return {"u_old": values(workload.values, rng, count, precision).reshape(sizes)}


Grid = NDArray[np.generic]


def integers(rng: np.random.Generator, sizes: tuple[int, ...], precision: Precision) -> Grid:
    """Whole numbers that fill 12 bits (FP32) or 8 (BF16): sums of a few are exact in FP32."""
    return probe_integers(rng, prod(sizes), precision).reshape(sizes)


def isolated(rng: np.random.Generator, sizes: tuple[int, ...], precision: Precision) -> Grid:
    """Full-mantissa numbers among signed zeros, so that every inner cell sees exactly one of them.

    They form a perfect code: Σ (axis + 1)·index ≡ 2 modulo 2n + 1 (S. W. Golomb and L. R. Welch, 1970,
    SIAM J. Appl. Math. 18(2)).
    """
    index = np.indices(sizes)
    code = sum((axis + 1) * index[axis] for axis in range(len(sizes))) % (2 * len(sizes) + 1)
    zeros = np.where(index.sum(axis=0) % 2 == 0, 0.0, -0.0).astype(precision.dtype)
    numbers = full_mantissa(rng, prod(sizes), precision).reshape(sizes)
    return np.where(code == 2, numbers, zeros)


def nan_cell(rng: np.random.Generator, sizes: tuple[int, ...], precision: Precision) -> Grid:
    """One NaN in the middle and an infinity in the last corner, which no inner cell sees."""
    grid = values("ordinary", rng, prod(sizes), precision).reshape(sizes)
    grid[tuple(size // 2 for size in sizes)] = np.nan
    grid.flat[-1] = np.inf
    return grid


PROBES: Mapping[str, Callable[[np.random.Generator, tuple[int, ...], Precision], Grid]] = {
    "integers": integers,
    "one_hot": isolated,
    "nan_cell": nan_cell,
}


def reach(shape: Shape) -> tuple[tuple[int, int], ...]:
    """One cell either way along every axis."""
    return ((1, 1),) * len(dimensions(shape))


def interior(axes: int) -> tuple[slice, ...]:
    """Every cell that is not on the border."""
    return (slice(1, -1),) * axes


def neighbours(grid: FloatArray) -> FloatArray:
    """Sum of the two neighbours along every axis, for each inner cell."""
    total = np.zeros([size - 2 for size in grid.shape])
    for axis in range(grid.ndim):
        for shifted in (slice(None, -2), slice(2, None)):
            place = [*interior(grid.ndim)]
            place[axis] = shifted
            total += grid[tuple(place)]
    return total


def diffusion(workload: Workload) -> float:
    """r as the entry receives it: rounded to FP32."""
    return float(np.float32(workload.shape["r"]))


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
    """c + r·(Σ neighbours − 2n·c) inside, c on the border."""
    old = arrays["u_old"].astype(np.float64)
    new = old.copy()
    if min(old.shape) > 2:
        inside = interior(old.ndim)
        new[inside] += diffusion(workload) * (neighbours(old) - 2 * old.ndim * old[inside])
    return {"u_new": new}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """A few operations on |c| + |r|·(Σ |neighbours| + 2n·|c|) inside; none on the border, which is copied."""
    old = np.abs(arrays["u_old"].astype(np.float64))
    scale = np.zeros_like(old)
    if min(old.shape) > 2:
        inside = interior(old.ndim)
        around = neighbours(old) + 2 * old.ndim * old[inside]
        scale[inside] = old[inside] + abs(diffusion(workload)) * around
    return {"u_new": (Rounding(operations(old.ndim), scale),)}
