"""Pairs of kernels for one job whose order on hardware is known: `kernels/<name>.cu` holds `slow` and `fast`.

`least` is how many times faster `fast` is at least on a data-centre card; a claim of the literature (CUDA
best practices guide, published optimisation series), not a measurement of ours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.kernel import KernelSource

KERNELS = Path(__file__).parent / "kernels"
Items = tuple[Tensor | Scalar, ...]


@dataclass(frozen=True)
class Pair:
    """Two entries with the same arguments."""

    name: str
    least: float
    make: Callable[[np.random.Generator], Items]

    def source(self, entry: str) -> KernelSource:
        """The source with `slow` or `fast` as its entry."""
        return KernelSource((KERNELS / f"{self.name}.cu").read_text(), entry, f"{self.name}.cu")

    @cached_property
    def arguments(self) -> Arguments:
        """Seeded, the same for both entries."""
        return Arguments(self.make(np.random.default_rng(0)), self.name)


def floats(rng: np.random.Generator, name: str, *shape: int) -> Tensor:
    return Tensor(name, rng.standard_normal(shape, dtype=np.float32), Access.INPUT)


def halves(rng: np.random.Generator, name: str, *shape: int) -> Tensor:
    values = rng.standard_normal(shape, dtype=np.float32).astype(ml_dtypes.bfloat16)
    return Tensor(name, values, Access.INPUT)


def output(*shape: int, dtype: Any = np.float32) -> Tensor:
    return Tensor("out", np.zeros(shape, dtype), Access.OUTPUT)


def integer(name: str, value: int) -> Scalar:
    return Scalar(name, value, "int")


def elementwise(n: int, inputs_per_output: int = 1) -> Callable[[np.random.Generator], Items]:
    return lambda rng: (floats(rng, "in", n * inputs_per_output), output(n), integer("n", n))


def grid(rows: int, columns: int) -> Callable[[np.random.Generator], Items]:
    return lambda rng: (
        floats(rng, "in", rows, columns),
        output(rows, columns),
        integer("rows", rows),
        integer("columns", columns),
    )


def square(n: int) -> Callable[[np.random.Generator], Items]:
    return lambda rng: (floats(rng, "in", n, n), output(n, n), integer("n", n))


def product(n: int, matrix: Callable[..., Tensor] = floats) -> Callable[[np.random.Generator], Items]:
    return lambda rng: (matrix(rng, "a", n, n), matrix(rng, "b", n, n), output(n, n), integer("n", n))


def half_stream(n: int) -> Callable[[np.random.Generator], Items]:
    return lambda rng: (halves(rng, "in", n), output(n, dtype=ml_dtypes.bfloat16), integer("n", n))


def reduction(n: int, outputs: int) -> Callable[[np.random.Generator], Items]:
    return lambda rng: (floats(rng, "in", n), output(outputs), integer("n", n))


def histogram(n: int) -> Callable[[np.random.Generator], Items]:
    def make(rng: np.random.Generator) -> Items:
        data: NDArray[np.uint8] = rng.integers(0, 256, n, dtype=np.uint8)
        return Tensor("in", data, Access.INPUT), output(256, dtype=np.uint32), integer("n", n)

    return make


def sparse(rows: int, per_row: int) -> Callable[[np.random.Generator], Items]:
    def make(rng: np.random.Generator) -> Items:
        lengths = rng.integers(per_row // 2, per_row * 3 // 2, rows)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        columns = rng.integers(0, rows, int(offsets[-1]), dtype=np.int32)
        return (
            Tensor("offsets", offsets, Access.INPUT),
            Tensor("columns", columns, Access.INPUT),
            floats(rng, "values", len(columns)),
            floats(rng, "x", rows),
            output(rows),
            integer("rows", rows),
        )

    return make


def matrix_vector(rows: int, columns: int) -> Callable[[np.random.Generator], Items]:
    return lambda rng: (
        floats(rng, "a", rows, columns),
        floats(rng, "x", columns),
        output(rows),
        integer("rows", rows),
        integer("columns", columns),
    )


def in_place(n: int) -> Callable[[np.random.Generator], Items]:
    return lambda rng: (
        Tensor("values", rng.standard_normal(n, dtype=np.float32), Access.IN_PLACE),
        integer("n", n),
    )


MILLION = 1 << 20
PAIRS = (
    Pair("copy_strided", 3.0, grid(4096, 4096)),
    Pair("transpose_padded", 1.05, square(4096)),
    Pair("transpose_tiled", 1.5, square(4096)),
    Pair("gemm_tiled", 1.2, product(2048)),
    Pair("gemm_registers", 3.0, product(2048)),
    Pair("gemm_tensor", 4.0, product(2048, halves)),
    Pair("scale_vector", 1.1, half_stream(32 * MILLION)),
    Pair("spmv_warp", 1.5, sparse(200_000, 100)),
    Pair("sum_atomics", 10.0, reduction(16 * MILLION, 1)),
    Pair("histogram_shared", 1.5, histogram(16 * MILLION)),
    Pair("stream_occupancy", 1.5, elementwise(32 * MILLION)),
    Pair("fused", 1.3, elementwise(32 * MILLION)),
    Pair("softmax_block", 2.0, grid(2048, 4096)),
    Pair("stencil_mapping", 1.5, square(4096)),
    Pair("reduce_divergent", 1.1, reduction(16 * MILLION, 16 * MILLION // 256)),
    Pair("few_blocks", 5.0, elementwise(16 * MILLION)),
    Pair("double_literals", 1.1, elementwise(16 * MILLION)),
    Pair("structures", 1.5, elementwise(4 * MILLION, 8)),
    Pair("matvec_warp", 3.0, matrix_vector(4096, 4096)),
    Pair("many_launches", 3.0, in_place(64 * 1024)),
)
