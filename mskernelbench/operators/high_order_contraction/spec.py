"""high_order_contraction: C[a,b,c] = Σₓ Σᵧ A[a,x,b,y]·B[x,c,y].

A matrix product of (a,b)×(x,y) and (x,y)×c whose operands are stored in another order.
"""

from collections.abc import Mapping
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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
    size,
    tensor,
)
from mskernelbench.pieces import along
from mskernelbench.products import HIGHAM, Matrix, pair, product, product_rounding

NAMES = ("a_dim", "b_dim", "c_dim", "x_dim", "y_dim")


def shape(*sizes: int) -> Shape:
    """Sizes in the entry's order: a, b, c, x, y."""
    return dict(zip(NAMES, sizes, strict=True))


CHECK = (
    Workload("check", shape(1, 1, 1, 1, 1)),
    Workload("check", shape(8, 8, 8, 8, 8)),
    Workload("check", shape(2, 3, 5, 7, 11), "mixed"),
    Workload("check", shape(33, 5, 34, 3, 9)),
    Workload("check", shape(3, 37, 7, 11, 5), "shifted"),
    Workload("check", shape(1, 2, 263, 2, 17), "one_hot"),
    Workload("check", shape(5, 264, 3, 1, 13), "shifted"),
    Workload("check", shape(4, 3, 17, 33, 31), "mixed"),
    Workload("check", shape(7, 9, 13, 5, 6), "nan_row"),
    Workload("check", shape(6, 11, 31, 16, 33), "integers", exact=True),
    Workload("check", shape(3, 4, 16, 32, 32), "ones", exact=True),
    Workload("check", shape(1, 2, 3, 257, 257), "shifted"),
)
PAPER = tuple(
    Workload("paper", shape(*outer, *inner), "shifted")
    for outer in ((32, 32, 32), (64, 32, 48), (128, 128, 64), (256, 256, 128))
    for inner in ((8, 8), (16, 16))
)
REAL = (
    Workload("real", shape(77, 101, 333, 17, 19), "shifted"),
    Workload("real", shape(128, 128, 256, 32, 32), "shifted"),
    Workload("real", shape(512, 500, 256, 32, 32), "shifted"),
)


def sizes(shape: Shape) -> tuple[int, ...]:
    """a, b, c, x and y."""
    return tuple(int(shape[name]) for name in NAMES)


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """A and B."""
    a, b, c, x, y = sizes(workload.shape)
    left, right = pair(workload.values, (a * b, c, x * y), precision, rng)
    return {
        "A": np.ascontiguousarray(left.reshape(a, b, x, y).transpose(0, 2, 1, 3)),
        "B": np.ascontiguousarray(right.reshape(x, y, c).transpose(0, 2, 1)),
    }


def operands(arrays: Arrays) -> tuple[Matrix, Matrix]:
    """A as (a,b)×(x,y) and B as (x,y)×c."""
    a, x, b, y = arrays["A"].shape
    left = arrays["A"].transpose(0, 2, 1, 3).reshape(a * b, x * y)
    return left, arrays["B"].transpose(0, 2, 1).reshape(x * y, -1)


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """C in float64."""
    return {"C": product(*operands(arrays)).reshape(sizes(workload.shape)[:3])}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """That of a product over x·y terms."""
    whole = product_rounding(workload, *operands(arrays))
    return {"C": (Rounding(whole.terms, whole.scale.reshape(sizes(workload.shape)[:3])),)}


def volume(shape: Shape) -> int:
    """a·b·c·x·y."""
    return prod(sizes(shape))


def dram_bytes(shape: Shape, precision: Precision) -> int:
    """A, B and C once."""
    a, b, c, x, y = sizes(shape)
    return precision.value_bytes * (a * x * b * y + x * c * y + a * b * c)


OPERATOR = Operator(
    name="high_order_contraction",
    symbol="high_order_contraction",
    title="High-order tensor contraction",
    category=Category.ALGEBRA,
    signature=(
        tensor("A", "a×x×b×y, row-major"),
        tensor("B", "x×c×y, row-major"),
        output("C", "a×b×c, row-major"),
        *(size(name) for name in NAMES),
    ),
    contract=Contract.POISONED,
    mathematics="C[a,b,c] = Σₓ Σᵧ A[a,x,b,y]·B[x,c,y], all tensors row-major in that order of indices.",
    source=HIGHAM,
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"C": sizes(shape)[:3]},
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 2 * volume(shape),
    dram_bytes=dram_bytes,
    weight=volume,
    matrix_product=True,
    cut=along(a_dim={"A": 0, "C": 0}, b_dim={"A": 2, "C": 1}, c_dim={"B": 1, "C": 2}),
)
