"""Arguments of the kernel pairs: seeded, each a function of a generator."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Access, Scalar, Tensor
from mskernelbench.operator import Precision

Items = tuple[Tensor | Scalar, ...]
Make = Callable[[np.random.Generator], Items]
MILLION = 1 << 20


def floats(rng: np.random.Generator, name: str, *shape: int) -> Tensor:
    return Tensor(name, rng.standard_normal(shape, dtype=np.float32), Access.INPUT)


def halves(rng: np.random.Generator, name: str, *shape: int) -> Tensor:
    values = rng.standard_normal(shape, dtype=np.float32).astype(Precision.BF16.dtype)
    return Tensor(name, values, Access.INPUT)


def output(*shape: int, dtype: Any = np.float32) -> Tensor:
    return Tensor("out", np.zeros(shape, dtype), Access.OUTPUT)


def integer(name: str, value: int) -> Scalar:
    return Scalar(name, value, "int")


def elementwise(n: int, inputs_per_output: int = 1) -> Make:
    return lambda rng: (floats(rng, "in", n * inputs_per_output), output(n), integer("n", n))


def grid(rows: int, columns: int) -> Make:
    return lambda rng: (
        floats(rng, "in", rows, columns),
        output(rows, columns),
        integer("rows", rows),
        integer("columns", columns),
    )


def square(n: int) -> Make:
    return lambda rng: (floats(rng, "in", n, n), output(n, n), integer("n", n))


def product(n: int, matrix: Callable[..., Tensor] = floats) -> Make:
    return lambda rng: (matrix(rng, "a", n, n), matrix(rng, "b", n, n), output(n, n), integer("n", n))


def half_stream(n: int) -> Make:
    return lambda rng: (halves(rng, "in", n), output(n, dtype=Precision.BF16.dtype), integer("n", n))


def reduction(n: int, outputs: int) -> Make:
    return lambda rng: (floats(rng, "in", n), output(outputs), integer("n", n))


def histogram(n: int) -> Make:
    def make(rng: np.random.Generator) -> Items:
        data: NDArray[np.uint8] = rng.integers(0, 256, n, dtype=np.uint8)
        return Tensor("in", data, Access.INPUT), output(256, dtype=np.uint32), integer("n", n)

    return make


def sparse(rows: int, per_row: int) -> Make:
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


def matrix_vector(rows: int, columns: int) -> Make:
    return lambda rng: (
        floats(rng, "a", rows, columns),
        floats(rng, "x", columns),
        output(rows),
        integer("rows", rows),
        integer("columns", columns),
    )


def in_place(n: int) -> Make:
    return lambda rng: (
        Tensor("values", rng.standard_normal(n, dtype=np.float32), Access.IN_PLACE),
        integer("n", n),
    )


def count(n: int) -> Make:
    return lambda rng: (floats(rng, "in", n), output(1, dtype=np.uint32), integer("n", n))


def ellpack(rows: int, width: int) -> Make:
    def make(rng: np.random.Generator) -> Items:
        columns = rng.integers(0, rows, rows * width, dtype=np.int32)
        return (
            Tensor("columns", columns, Access.INPUT),
            floats(rng, "values", rows * width),
            floats(rng, "x", rows),
            output(rows),
            integer("rows", rows),
        )

    return make


def table(size: int, n: int) -> Make:
    return lambda rng: (
        floats(rng, "table", size),
        Tensor("places", rng.integers(0, size, n, dtype=np.int32), Access.INPUT),
        output(n),
        integer("size", size),
        integer("n", n),
    )


def volume(planes: int, rows: int, columns: int) -> Make:
    return lambda rng: (
        floats(rng, "in", planes, rows, columns),
        output(planes, rows, columns),
        integer("planes", planes),
        integer("rows", rows),
        integer("columns", columns),
    )
