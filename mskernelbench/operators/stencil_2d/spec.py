"""stencil_2d: one explicit step of the heat equation on a grid whose edge cells are copied."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, probe_integers, values
from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Operator,
    Precision,
    Rounding,
    Shape,
    Workload,
    output,
    scalar,
    size,
    tensor,
)

OPERATIONS = 6
"""Rounded operations on the way to one interior cell: three sums of neighbours, −4c, ·r, +c."""


def shape(nx: int, ny: int, r: float = 0.25) -> Shape:
    """Grid sizes and the diffusion number."""
    return {"r": r, "nx": nx, "ny": ny}


CHECK = (
    Workload("check", shape(1, 1)),
    Workload("check", shape(2, 3)),
    Workload("check", shape(1, 37)),
    Workload("check", shape(41, 1)),
    Workload("check", shape(3, 3, 0.1)),
    Workload("check", shape(65, 33, 0.1)),
    Workload("check", shape(64, 264), "shifted"),
    Workload("check", shape(19, 1031), "shifted"),
    Workload("check", shape(1033, 21), "shifted"),
    Workload("check", shape(127, 31, 0.2), "mixed"),
    Workload("check", shape(17, 257), "nan_cell"),
    Workload("check", shape(29, 53, 1.0), "integers", exact=True),
    Workload("check", shape(31, 67, 0.5), "one_hot"),
)
PAPER = tuple(
    Workload("paper", shape(nx, ny), "shifted") for nx in (1024, 4096, 16384) for ny in (1024, 4096, 16384)
)
REAL = (
    Workload("real", shape(1000, 3001), "shifted"),
    Workload("real", shape(4096, 4096), "shifted"),
    Workload("real", shape(12289, 12287), "shifted"),
)


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """The grid before the step."""
    nx, ny = int(workload.shape["nx"]), int(workload.shape["ny"])
    match workload.values:
        case "integers":
            grid = probe_integers(rng, nx * ny, precision)
        case "one_hot":
            grid = isolated(rng, nx, ny, precision)
        case "nan_cell":
            grid = values("ordinary", rng, nx * ny, precision)
            grid[(nx // 2) * ny + ny // 2] = np.nan
            grid[nx * ny - 1] = np.inf
        case name:
            grid = values(name, rng, nx * ny, precision)
    return {"u_old": grid.reshape(nx, ny)}


def isolated(rng: np.random.Generator, nx: int, ny: int, precision: Precision) -> NDArray[np.generic]:
    """Full-mantissa numbers three cells apart, signed zeros between: every cell sees at most one of them."""
    i, j = np.indices((nx, ny))
    sparse = ((i + 3 * (j % 2)) % 6 == 2) & (j % 3 == 1)
    zeros = np.where((i + j) % 2 == 0, 0.0, -0.0).astype(precision.dtype)
    return np.where(sparse, full_mantissa(rng, nx * ny, precision).reshape(nx, ny), zeros).ravel()


def neighbours(grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of the four neighbours of every interior cell."""
    total: NDArray[np.float64] = grid[1:-1, :-2] + grid[1:-1, 2:] + grid[:-2, 1:-1] + grid[2:, 1:-1]
    return total


def diffusion(workload: Workload) -> float:
    """r as the entry receives it: rounded to FP32."""
    return float(np.float32(workload.shape["r"]))


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """c + r·(left + right + up + down − 4c) inside, c on the edges."""
    old = arrays["u_old"].astype(np.float64)
    new = old.copy()
    if min(old.shape) > 2:
        new[1:-1, 1:-1] += diffusion(workload) * (neighbours(old) - 4 * old[1:-1, 1:-1])
    return {"u_new": new}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """Six operations on |c| + |r|·(Σ|neighbours| + 4|c|) inside; none on the edges, which are copied."""
    old = np.abs(arrays["u_old"].astype(np.float64))
    scale = np.zeros_like(old)
    if min(old.shape) > 2:
        inside = old[1:-1, 1:-1]
        scale[1:-1, 1:-1] = inside + abs(diffusion(workload)) * (neighbours(old) + 4 * inside)
    return {"u_new": (Rounding(OPERATIONS, scale),)}


def cells(shape: Shape) -> int:
    """Cells of the grid."""
    return int(shape["nx"]) * int(shape["ny"])


def flops(shape: Shape) -> int:
    """Six an interior cell: three sums of neighbours, then r·Σ + (1 − 4r)·c as a product and a fused pair."""
    return 6 * max(int(shape["nx"]) - 2, 0) * max(int(shape["ny"]) - 2, 0)


OPERATOR = Operator(
    name="stencil_2d",
    symbol="stencil_2d",
    title="Five-point stencil",
    category=Category.SCIENTIFIC,
    aliases=("stencil",),
    signature=(
        output("u_new", "nx×ny, row-major: cell (i, j) at i·ny+j"),
        tensor("u_old", "nx×ny, row-major: cell (i, j) at i·ny+j"),
        scalar("r"),
        size("nx"),
        size("ny"),
    ),
    contract=Contract.POISONED,
    mathematics=(
        "u_new = c + r·(left + right + up + down − 4c) for every interior cell c of the grid; "
        "cells on the four edges are copied."
    ),
    source="R. J. LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, ch. 9",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"u_new": (int(shape["nx"]), int(shape["ny"]))},
    reference=reference,
    rounding=rounding,
    flops=flops,
    dram_bytes=lambda shape, precision: 2 * precision.value_bytes * cells(shape),
    weight=cells,
)
