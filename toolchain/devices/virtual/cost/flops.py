"""Floating-point operations of PTX instructions, a fused multiply-add counting two."""

from functools import lru_cache

from cudamaster.toolchain.devices.virtual.cost.tensor import tensor_flops

_ONE = frozenset({"add", "sub", "mul", "div", "sqrt", "rcp", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh"})
_TWO = frozenset({"fma", "mad"})
_VALUES = {"f32": 1, "f64": 1, "f16": 1, "bf16": 1, "f16x2": 2, "bf16x2": 2}


@lru_cache(maxsize=4096)
def lane_flops(opcode: str) -> float:
    """FLOPs of one lane."""
    base, _, rest = opcode.partition(".")
    per_value = 2 if base in _TWO else 1 if base in _ONE else 0
    return per_value * _VALUES.get(rest.rpartition(".")[2], 0)


def block_flops(opcode: str, warps: float, lanes: float) -> float:
    """FLOPs of `opcode` executed by this many warps with this many active lanes in all."""
    return lane_flops(opcode) * lanes + tensor_flops(opcode) * warps
