"""The bench set: six kernels, their launches, and whether what these leave is right."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

KERNELS = Path(__file__).parents[1] / "kernels"
Array = NDArray[Any]
RNG = np.random.default_rng(0)


@dataclass(frozen=True)
class Case:
    """A launch, and whether what it leaves is right."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: list[Any]
    """Arrays and 32-bit integers; the last array is the output."""
    is_right: Callable[[Array], bool]


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape, dtype=np.float32)


def gemm() -> Case:
    n = 512
    a, b = normal(n, n), normal(n, n)
    wanted = a @ b
    arguments = [a, b, np.zeros((n, n), np.float32), n]
    return Case((n // 16, n // 16, 1), (16, 16, 1), arguments, lambda c: np.allclose(c, wanted, atol=1e-3))


def softmax() -> Case:
    rows, columns = 1024, 2000
    x = 3 * normal(rows, columns)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    wanted = e / e.sum(1, keepdims=True)
    arguments = [x, np.zeros_like(x), columns]
    return Case((rows, 1, 1), (256, 1, 1), arguments, lambda y: np.allclose(y, wanted, rtol=1e-5))


def spmv() -> Case:
    rows = 40000
    counts = RNG.integers(0, 120, rows)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    columns = RNG.integers(0, rows, starts[-1]).astype(np.int32)
    values, x = normal(starts[-1]), normal(rows)
    products = np.append(values.astype(np.float64) * x[columns], 0)
    wanted = np.add.reduceat(products, starts[:-1]) * (counts > 0)
    arguments = [starts, columns, values, x, np.zeros(rows, np.float32), rows]
    return Case((rows // 4, 1, 1), (128, 1, 1), arguments, lambda y: np.allclose(y, wanted, atol=1e-3))


def stencil() -> Case:
    n, inner = 98, slice(1, -1)
    x = normal(n, n, n)
    around = sum(np.roll(x, step, axis) for step in (1, -1) for axis in range(3))
    wanted = np.zeros_like(x)
    wanted[inner, inner, inner] = (np.float32(0.4) * x + np.float32(0.1) * around)[inner, inner, inner]
    arguments = [x, np.zeros_like(x), n]
    return Case((3, 24, 1), (32, 4, 1), arguments, lambda y: np.allclose(y, wanted, atol=1e-5))


def swiglu() -> Case:
    count = 1 << 20
    gate, up = normal(count).astype(ml_dtypes.bfloat16), normal(count).astype(ml_dtypes.bfloat16)
    g, u = gate.astype(np.float32), up.astype(np.float32)
    wanted = g / (1 + np.exp(-g)) * u
    arguments = [gate.view(np.uint16), up.view(np.uint16), np.zeros(count, np.uint16), count // 8]

    def is_right(out: Array) -> bool:
        return np.allclose(out.view(ml_dtypes.bfloat16).astype(np.float32), wanted, rtol=1 / 128, atol=1e-30)

    return Case((count // 8 // 256, 1, 1), (256, 1, 1), arguments, is_right)


CASES: dict[str, Callable[[], Case]] = {
    "gemm_naive": gemm, "gemm_tiled": gemm, "softmax": softmax, "spmv_csr": spmv, "stencil": stencil,
    "swiglu_bf16": swiglu,
}  # fmt: skip


def ptx_of(name: str, folder: Path) -> str:
    target = folder / f"{name}.ptx"
    command = ["nvcc", "-std=c++17", "-O3", "-lineinfo", "-arch=compute_90", "-ptx"]
    subprocess.run([*command, str(KERNELS / f"{name}.cu"), "-o", str(target)], check=True, timeout=120)
    return target.read_text()
