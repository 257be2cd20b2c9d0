"""conv_2d: valid cross-correlation of an image of one channel."""

from itertools import product
from pathlib import Path

from mskernelbench import convolutions
from mskernelbench.operator import Category, Contract, Operator, Shape, Workload, output, size, tensor
from mskernelbench.pieces import windows


def shape(rows: int, cols: int, k_rows: int, k_cols: int) -> Shape:
    """Sizes in the entry's order."""
    return {"in_rows": rows, "in_cols": cols, "k_rows": k_rows, "k_cols": k_cols}


CHECK = (
    Workload("check", shape(1, 1, 1, 1)),
    Workload("check", shape(7, 11, 7, 11)),
    Workload("check", shape(8, 11, 7, 11), "shifted"),
    Workload("check", shape(61, 67, 3, 5)),
    Workload("check", shape(5, 1031, 2, 8), "shifted"),
    Workload("check", shape(1033, 9, 4, 1), "shifted"),
    Workload("check", shape(40, 263, 1, 8), "mixed"),
    Workload("check", shape(260, 13, 8, 3)),
    Workload("check", shape(45, 50, 33, 32), "shifted"),
    Workload("check", shape(33, 47, 16, 16), "cancelling"),
    Workload("check", shape(31, 43, 5, 7), "nan_cell"),
    Workload("check", shape(29, 271, 9, 7), "integers", exact=True),
    Workload("check", shape(39, 48, 32, 32), "ones", exact=True),
    Workload("check", shape(41, 73, 11, 3), "one_hot"),
    Workload("check", shape(2, 65_603, 1, 3), "shifted"),
)
PAPER = tuple(
    Workload("paper", shape(side, side, taps, taps), "shifted")
    for side, taps in product((256, 1024, 4096), (8, 16, 32))
)
REAL = (
    Workload("real", shape(1080, 1920, 5, 5), "shifted"),
    Workload("real", shape(2160, 3840, 11, 11), "shifted"),
    Workload("real", shape(12289, 12287, 3, 3), "shifted"),
    Workload("real", shape(8191, 8192, 31, 31), "shifted"),
)

OPERATOR = Operator(
    name="conv_2d",
    symbol="conv_2d",
    title="Two-dimensional convolution",
    category=Category.LLM,
    aliases=("conv",),
    signature=(
        tensor("input", "in_rows×in_cols, row-major"),
        tensor("kernel", "k_rows×k_cols, row-major"),
        output("output", "(in_rows − k_rows + 1)×(in_cols − k_cols + 1), row-major"),
        size("in_rows"),
        size("in_cols"),
        size("k_rows"),
        size("k_cols"),
    ),
    contract=Contract.POISONED,
    mathematics=(
        "output[i,j] = Σ_a Σ_b input[i+a, j+b]·kernel[a,b] wherever the whole kernel lies within the input: "
        "cross-correlation of one channel, stride 1, no padding, the kernel is not flipped."
    ),
    source="N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1 (error bound)",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=convolutions.inputs,
    outputs=convolutions.outputs,
    reference=convolutions.reference,
    rounding=convolutions.rounding,
    flops=convolutions.flops,
    dram_bytes=convolutions.dram_bytes,
    weight=convolutions.weight,
    unfit=convolutions.unfit,
    cut=windows("input", ("in_rows", "in_cols"), convolutions.reach),
    matrix_product=True,
)
