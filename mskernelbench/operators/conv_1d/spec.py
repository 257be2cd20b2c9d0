"""conv_1d: valid cross-correlation of a signal with a short kernel."""

from itertools import product
from pathlib import Path

from mskernelbench import convolutions
from mskernelbench.operator import Category, Contract, Operator, Shape, Workload, output, size, tensor
from mskernelbench.pieces import windows


def shape(length: int, taps: int) -> Shape:
    """Sizes in the entry's order."""
    return {"input_size": length, "kernel_size": taps}


CHECK = (
    Workload("check", shape(1, 1)),
    Workload("check", shape(37, 37)),
    Workload("check", shape(38, 37), "shifted"),
    Workload("check", shape(257, 2)),
    Workload("check", shape(1031, 32), "shifted"),
    Workload("check", shape(4099, 7), "mixed"),
    Workload("check", shape(1287, 264)),
    Workload("check", shape(1100, 1030), "shifted"),
    Workload("check", shape(4200, 4099), "shifted"),
    Workload("check", shape(600, 128), "cancelling"),
    Workload("check", shape(517, 31), "nan_cell"),
    Workload("check", shape(2061, 63), "integers", exact=True),
    Workload("check", shape(1555, 1024), "ones", exact=True),
    Workload("check", shape(1023, 33), "one_hot"),
    Workload("check", shape(65_609, 3), "shifted"),
)
PAPER = tuple(
    Workload("paper", shape(2**power, taps), "shifted")
    for power, taps in product((10, 12, 14, 16, 18), (32, 64, 128, 256))
)
REAL = (
    Workload("real", shape(480_000, 401), "shifted"),
    Workload("real", shape(10_000_019, 63), "shifted"),
    Workload("real", shape(2**27, 31), "shifted"),
    Workload("real", shape(2**25, 2047), "shifted"),
)

OPERATOR = Operator(
    name="conv_1d",
    symbol="conv_1d",
    title="One-dimensional convolution",
    category=Category.SCIENTIFIC,
    signature=(
        tensor("input", "input_size"),
        tensor("kernel", "kernel_size"),
        output("output", "input_size − kernel_size + 1"),
        size("input_size"),
        size("kernel_size"),
    ),
    contract=Contract.POISONED,
    mathematics=(
        "output[i] = Σ_k input[i+k]·kernel[k] wherever the whole kernel lies within the input: "
        "cross-correlation, stride 1, no padding, the kernel is not flipped."
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
    cut=windows("input", ("input_size",), convolutions.reach),
    matrix_product=True,
)
