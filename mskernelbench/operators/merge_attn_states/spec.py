"""merge_attn_states: attention over two sets of keys, from that over each and their log-sum-exps."""

from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

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
from mskernelbench.tolerance import CONSTANT

FloatArray = NDArray[np.float64]
Values = NDArray[Any]

FLT_MAX = float(np.finfo(np.float32).max)
"""What an infinite log-sum-exp is replaced with, negative."""
EXPONENTIAL = 8.0
"""Error of an exponential or a logarithm in units of u, beside the part that grows with the argument."""


def shape(tokens: int, heads: int, width: int) -> Shape:
    """Sizes in the entry's order."""
    return {"num_tokens": tokens, "num_heads": heads, "head_size": width}


CHECK = (
    Workload("check", shape(1, 1, 1)),
    Workload("check", shape(3, 5, 7)),
    Workload("check", shape(2, 33, 264), "shifted"),
    Workload("check", shape(5003, 3, 9), "shifted"),
    Workload("check", shape(5, 2, 1031)),
    Workload("check", shape(31, 65, 4), "mixed"),
    Workload("check", shape(37, 4, 16), "far_apart"),
    Workload("check", shape(29, 6, 33), "infinite"),
    Workload("check", shape(17, 7, 64), "equal"),
    Workload("check", shape(11, 8, 32), "one_sided"),
    Workload("check", shape(9, 3, 40), "huge"),
    Workload("check", shape(13, 5, 24), "nan_state"),
    Workload("check", shape(23, 4, 128), "shifted", absent=("LSE_out",)),
    Workload("check", shape(65_601, 1, 2), "shifted"),
)
PAPER = tuple(
    Workload("paper", shape(tokens, heads, width), "shifted")
    for tokens in (512, 768, 1024)
    for heads in (32, 64)
    for width in (128, 256)
)
REAL = (
    Workload("real", shape(1, 32, 128), "shifted"),
    Workload("real", shape(777, 40, 128), "shifted"),
    Workload("real", shape(4096, 8, 128), "shifted"),
    Workload("real", shape(8192, 128, 128), "shifted"),
)


def extents(shape: Shape) -> tuple[int, int, int]:
    """Tokens, heads and the width of a head."""
    return int(shape["num_tokens"]), int(shape["num_heads"]), int(shape["head_size"])


def outputs(shape: Shape) -> Mapping[str, tuple[int, ...]]:
    """The merged state and its log-sum-exps."""
    tokens, heads, width = extents(shape)
    return {"V_out": (tokens, heads, width), "LSE_out": (heads, tokens)}


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """Both states and their log-sum-exps."""
    sizes = outputs(workload.shape)
    count = prod(sizes["V_out"])
    match workload.values:
        case "ordinary" | "shifted" | "mixed" as name:
            v_a, v_b = (values(name, rng, count, precision) for _ in range(2))
        case "huge":
            v_a, v_b = (values("mixed", rng, count, precision) for _ in range(2))
        case _:
            v_a, v_b = (full_mantissa(rng, count, precision) for _ in range(2))
    if workload.values == "nan_state":
        v_a[count // 2] = np.nan
    lse_a, lse_b = LOGARITHMS.get(workload.values, usual)(rng, prod(sizes["LSE_out"]))
    states = {"V_a": v_a, "V_b": v_b}
    weights = {"lse_a": lse_a.astype(precision.dtype), "lse_b": lse_b.astype(precision.dtype)}
    return {name: array.reshape(sizes["V_out"]) for name, array in states.items()} | {
        name: array.reshape(sizes["LSE_out"]) for name, array in weights.items()
    }


Pair = tuple[Values, Values]


def usual(rng: np.random.Generator, count: int) -> Pair:
    """Log-sum-exps of some hundred keys, now one larger, now the other."""
    a, b = (values("ordinary", rng, count, Precision.FP32).astype(np.float32) for _ in range(2))
    return a + np.float32(5), b + np.float32(5)


def far_apart(rng: np.random.Generator, count: int) -> Pair:
    """Of magnitude 100 and more: exponentials without the larger one subtracted overflow or vanish."""
    a, b = usual(rng, count)
    return (a - 5) * np.float32(100), (b - 5) * np.float32(100)


def infinite(rng: np.random.Generator, count: int) -> Pair:
    """−∞, +∞ or a number on either side, in every combination: a state over no keys has −∞."""
    a, b = usual(rng, count)
    for lse in (a, b):
        kind = rng.integers(0, 4, count)
        lse[kind == 0], lse[kind == 1] = -np.inf, np.inf
    return a, b


def equal(rng: np.random.Generator, count: int) -> Pair:
    """The same on both sides, zeros of both signs among them: the mean of the states is due."""
    a, _ = usual(rng, count)
    a[::3] = 0.0
    b = a.copy()
    b[::3] = -0.0
    return a, b


def one_sided(rng: np.random.Generator, count: int) -> Pair:
    """One so much larger that its state is due, bit for bit."""
    a, b = usual(rng, count)
    far = np.where(rng.integers(0, 2, count) == 0, np.float32(-400), np.float32(400))
    return a + far, b - far


def huge(rng: np.random.Generator, count: int) -> Pair:
    """Up to 10³⁰ of both signs, where ln s no longer counts."""
    a, b = usual(rng, count)
    return (a - 5) * np.float32(2.0**100), (b - 5) * np.float32(2.0**90)


LOGARITHMS: Mapping[str, Callable[[np.random.Generator, int], Pair]] = {
    "far_apart": far_apart,
    "infinite": infinite,
    "equal": equal,
    "one_sided": one_sided,
    "huge": huge,
}


class Shares(NamedTuple):
    """How much each state counts, by [head, token], in float64."""

    a: FloatArray
    b: FloatArray
    highest: FloatArray
    """The larger log-sum-exp."""
    logarithm: FloatArray
    """ln s, to be added to it."""
    argument_error: FloatArray
    """Error of the exponentials in units of u."""


def shares(arrays: Arrays) -> Shares:
    """pa/s, pb/s, m and ln s. An infinite log-sum-exp counts as −FLT_MAX."""
    a, b = (finite(arrays[name].astype(np.float64)) for name in ("lse_a", "lse_b"))
    highest = np.maximum(a, b)
    p_a, p_b = np.exp(a - highest), np.exp(b - highest)
    total = p_a + p_b
    argument = np.where(a == b, 0.0, 2 * np.abs(a - b) + 2 * np.maximum(np.abs(a), np.abs(b)))
    return Shares(p_a / total, p_b / total, highest, np.log(total), EXPONENTIAL + argument)


def finite(lse: FloatArray) -> FloatArray:
    """−FLT_MAX for infinities of both signs."""
    replaced: FloatArray = np.where(np.isinf(lse), -FLT_MAX, lse)
    return replaced


def for_states(weights: FloatArray) -> FloatArray:
    """[head, token] as factors of [token, head, width]."""
    return weights.T[:, :, None]


def states(arrays: Arrays) -> tuple[FloatArray, FloatArray]:
    """V_a and V_b in float64."""
    return arrays["V_a"].astype(np.float64), arrays["V_b"].astype(np.float64)


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
    """The merged state and its log-sum-exps in float64."""
    share, (v_a, v_b) = shares(arrays), states(arrays)
    merged = v_a * for_states(share.a) + v_b * for_states(share.b)
    return {"V_out": merged, "LSE_out": share.highest + share.logarithm}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """A sum of two products, the exponentials' errors carried to it, and those of the logarithm.

    An error δ of an exponent moves V_out by pa·pb/s²·|V_a − V_b|·δ. δ/u is 2·|a − b| for the difference,
    2·max(|a|, |b|) where it is taken after a product with log₂ e, and a constant; equal ones do not differ.
    LSE_out is off by a constant times u, and by up to 3·u·|m| by way of log₂.
    """
    share, (v_a, v_b) = shares(arrays), states(arrays)
    summed = np.abs(v_a) * for_states(share.a) + np.abs(v_b) * for_states(share.b)
    carried = for_states(share.a * share.b * share.argument_error) * np.abs(v_a - v_b)
    logarithms = EXPONENTIAL + 3 * np.abs(share.highest)
    return {
        "V_out": (Rounding(2, summed), Rounding(1, carried / CONSTANT)),
        "LSE_out": (Rounding(1, logarithms / CONSTANT),),
    }


def elements(shape: Shape) -> int:
    """Of V_out."""
    return prod(extents(shape))


def dram_bytes(shape: Shape, precision: Precision) -> int:
    """Both states and the merged one once, and the log-sum-exps of all three."""
    tokens, heads, _ = extents(shape)
    return 3 * precision.value_bytes * (elements(shape) + tokens * heads)


OPERATOR = Operator(
    name="merge_attn_states",
    symbol="merge_attn_states",
    title="Merging of attention states",
    category=Category.LLM,
    signature=(
        output("V_out", "num_tokens×num_heads×head_size, row-major"),
        output("LSE_out", "num_heads×num_tokens, row-major; may be null", nullable=True),
        tensor("V_a", "num_tokens×num_heads×head_size, row-major"),
        tensor("lse_a", "num_heads×num_tokens, row-major"),
        tensor("V_b", "num_tokens×num_heads×head_size, row-major"),
        tensor("lse_b", "num_heads×num_tokens, row-major"),
        size("num_tokens"),
        size("num_heads"),
        size("head_size"),
    ),
    contract=Contract.POISONED,
    mathematics=(
        "For each head h and token t, with a = lse_a[h,t] and b = lse_b[h,t], either −FLT_MAX where it is "
        "infinite: m = max(a, b), pa = exp(a − m), pb = exp(b − m), s = pa + pb; "
        "V_out[t,h,:] = V_a[t,h,:]·pa/s + V_b[t,h,:]·pb/s; LSE_out[h,t] = ln s + m."
    ),
    source="J. Juravsky et al., Hydragen: High-Throughput LLM Inference with Shared Prefixes, 2024",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=outputs,
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 3 * elements(shape),
    dram_bytes=dram_bytes,
    weight=elements,
    hard=("infinite", "far_apart"),
    cut=along(
        num_tokens={"V_out": 0, "LSE_out": 1, "V_a": 0, "lse_a": 1, "V_b": 0, "lse_b": 1},
        num_heads={"V_out": 1, "LSE_out": 0, "V_a": 1, "lse_a": 0, "V_b": 1, "lse_b": 0},
    ),
)
