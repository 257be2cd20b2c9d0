"""max_pooling_2d: the largest value under a window that slides over every channel of every image."""

from collections.abc import Callable, Mapping
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, values
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

Images = NDArray[Any]


def shape(images: tuple[int, int, int, int], kernel: int, stride: int, padding: int = 0) -> Shape:
    """N, C, H, W and the window, in the entry's order."""
    n, c, h, w = images
    return {"N": n, "C": c, "H": h, "W": w, "kernel_size": kernel, "stride": stride, "padding": padding}


CHECK = (
    Workload("check", shape((1, 1, 1, 1), 1, 1)),
    Workload("check", shape((1, 1, 1, 1), 3, 2, 1), "negative"),
    Workload("check", shape((1, 2, 5, 4), 5, 1, 2), "negative"),
    Workload("check", shape((5, 3, 31, 37), 2, 1)),
    Workload("check", shape((2, 3, 17, 64), 3, 1, 1), "negative"),
    Workload("check", shape((1, 2, 27, 26), 4, 2), "mixed"),
    Workload("check", shape((2, 1, 65, 33), 4, 2, 1), "ties"),
    Workload("check", shape((1, 3, 19, 23), 2, 5), "mantissa"),
    Workload("check", shape((1, 1, 7, 1031), 3, 2, 1), "mixed"),
    Workload("check", shape((1, 1, 5003, 5), 2, 2, 1), "negative"),
    Workload("check", shape((3, 2, 16, 264), 2, 2)),
    Workload("check", shape((3, 21_867, 5, 4), 2, 1)),
    Workload("check", shape((2, 2, 21, 30), 3, 2, 1), "nans"),
    Workload("check", shape((1, 2, 24, 29), 3, 1), "infinities"),
    Workload("check", shape((1, 9, 8, 8), 7, 1, 3), "mantissa"),
    Workload("check", shape((1, 1, 23, 29), 11, 3, 5)),
    Workload("check", shape((1, 2, 13, 10), 1, 2, 0), "mantissa"),
)
PAPER = tuple(
    Workload("paper", shape(images, kernel, stride, padding))
    for images, (kernel, stride), padding in product(
        ((8, 3, 512, 512), (4, 3, 224, 224), (16, 3, 608, 608), (4, 1, 2048, 196)),
        ((2, 1), (3, 1), (4, 2)),
        (0, 1),
    )
)
REAL = (
    Workload("real", shape((1, 3, 1079, 1919), 3, 2, 1)),
    Workload("real", shape((32, 64, 112, 112), 3, 2, 1)),
    Workload("real", shape((16, 256, 55, 55), 3, 2)),
    Workload("real", shape((64, 64, 224, 224), 2, 2)),
)


def image_sizes(shape: Shape) -> tuple[int, int, int, int]:
    """N, C, H and W."""
    return int(shape["N"]), int(shape["C"]), int(shape["H"]), int(shape["W"])


def pooled_sizes(shape: Shape) -> tuple[int, int, int, int]:
    """N, C and the windows along H and W; those that would reach past the padding are left out."""
    n, c, h, w = image_sizes(shape)
    kernel, stride, padding = window(shape)
    rows, cols = ((side + 2 * padding - kernel) // stride + 1 for side in (h, w))
    return n, c, rows, cols


def window(shape: Shape) -> tuple[int, int, int]:
    """Kernel size, stride and padding."""
    return int(shape["kernel_size"]), int(shape["stride"]), int(shape["padding"])


def unfit(shape: Shape) -> str | None:
    """Windows that see nothing of the image, or that do not fit into it."""
    kernel, _, padding = window(shape)
    if 2 * padding > kernel:
        return f"padding={padding} is more than half of kernel_size={kernel}"
    if min(pooled_sizes(shape)) < 1:
        return f"kernel_size={kernel} does not fit into the image"
    return None


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """The images."""
    sizes = image_sizes(workload.shape)
    make = PROBES.get(workload.values)
    if make is not None:
        return {"input": make(rng, sizes, precision)}
    return {"input": values(workload.values, rng, prod(sizes), precision).reshape(sizes)}


def negative(rng: np.random.Generator, sizes: tuple[int, ...], precision: Precision) -> Images:
    """Far below 0 everywhere: zeros around the image would win."""
    below = values("shifted", rng, prod(sizes), Precision.FP32).astype(np.float32) * np.float32(-(2.0**100))
    return below.astype(precision.dtype).reshape(sizes)


def ties(rng: np.random.Generator, sizes: tuple[int, ...], precision: Precision) -> Images:
    """Zeros of both signs and a few equal numbers."""
    picked = np.array([-1.5, -0.0, 0.0, 0.0, -0.0, 2.0], precision.dtype)
    return picked[rng.integers(0, len(picked), sizes)]


def mantissa(rng: np.random.Generator, sizes: tuple[int, ...], precision: Precision) -> Images:
    """Numbers that need every bit of the precision."""
    return full_mantissa(rng, prod(sizes), precision).reshape(sizes)


def checkerboard(sizes: tuple[int, ...]) -> NDArray[np.bool_]:
    """Every other pixel; a window of two by two holds two that are not marked."""
    row, column = np.indices(sizes[2:])
    return np.broadcast_to((row + column) % 2 == 1, sizes)


def nans(rng: np.random.Generator, sizes: tuple[int, ...], precision: Precision) -> Images:
    """Negative numbers, every other pixel NaN: each window has a number that wins."""
    images = negative(rng, sizes, precision)
    images[checkerboard(sizes)] = np.nan
    return images


def infinities(rng: np.random.Generator, sizes: tuple[int, ...], precision: Precision) -> Images:
    """Negative numbers, every other pixel −∞, and one +∞ a channel, which wins wherever it is seen."""
    images = negative(rng, sizes, precision)
    images[checkerboard(sizes)] = -np.inf
    images[:, :, sizes[2] // 2, sizes[3] // 2] = np.inf
    return images


PROBES: Mapping[str, Callable[[np.random.Generator, tuple[int, ...], Precision], Images]] = {
    "negative": negative,
    "ties": ties,
    "mantissa": mantissa,
    "nans": nans,
    "infinities": infinities,
}


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """One tap of the window after another, the larger number kept; comparisons in FP32 are exact."""
    kernel, stride, padding = window(workload.shape)
    around = ((0, 0), (0, 0), (padding, padding), (padding, padding))
    padded = np.pad(arrays["input"].astype(np.float32), around, constant_values=-np.inf)
    best = np.full(pooled_sizes(workload.shape), -np.inf, np.float32)
    rows, cols = best.shape[2:]
    for a, b in product(range(kernel), repeat=2):
        seen = padded[:, :, a : a + stride * rows : stride, b : b + stride * cols : stride]
        np.fmax(best, seen[:, :, :rows, :cols], out=best)
    return {"output": best.astype(np.float64)}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """None: the output is one of the inputs."""
    return {}


def flops(shape: Shape) -> int:
    """One comparison less than the window has pixels, for each output."""
    return prod(pooled_sizes(shape)) * (window(shape)[0] ** 2 - 1)


def dram_bytes(shape: Shape, precision: Precision) -> int:
    """The pixels that some window sees, and the output, once."""
    n, c, h, w = image_sizes(shape)
    _, _, rows, cols = pooled_sizes(shape)
    seen = n * c * prod(_covered(side, count, shape) for side, count in ((h, rows), (w, cols)))
    return precision.value_bytes * (seen + prod(pooled_sizes(shape)))


def _covered(side: int, windows: int, shape: Shape) -> int:
    """Pixels of one side that lie under some of its windows."""
    kernel, stride, padding = window(shape)
    if stride > kernel:
        return min(side, windows * kernel)
    return min(side, (windows - 1) * stride + kernel - padding)


def weight(shape: Shape) -> int:
    """N·C·oH·oW·k²."""
    return prod(pooled_sizes(shape)) * window(shape)[0] ** 2


OPERATOR = Operator(
    name="max_pooling_2d",
    symbol="max_pooling_2d",
    title="Max pooling",
    category=Category.LLM,
    signature=(
        tensor("input", "N×C×H×W, row-major"),
        output("output", "N×C×oH×oW, row-major; oH = ⌊(H + 2·padding − kernel_size)/stride⌋ + 1, oW alike"),
        size("N"),
        size("C"),
        size("H"),
        size("W"),
        size("kernel_size"),
        size("stride"),
        size("padding", least=0),
    ),
    contract=Contract.POISONED,
    mathematics=(
        "output[n,c,i,j] = the largest input[n,c,i·stride − padding + a, j·stride − padding + b] over "
        "0 ≤ a, b < kernel_size within the image: what lies outside never wins, NaN is ignored."
    ),
    source="I. Goodfellow, Y. Bengio and A. Courville, Deep Learning, 2016, section 9.3",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"output": pooled_sizes(shape)},
    reference=reference,
    rounding=rounding,
    flops=flops,
    dram_bytes=dram_bytes,
    weight=weight,
    unfit=unfit,
    exact=True,
    hard=("nans", "infinities"),
    cut=along(N={"input": 0, "output": 0}, C={"input": 1, "output": 1}),
)
