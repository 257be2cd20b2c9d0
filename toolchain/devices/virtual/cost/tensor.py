"""FLOPs and speed of tensor-core instructions, read from the opcode (PTX ISA: `mma`, `wmma`, `wgmma`)."""

import re
from functools import lru_cache

from cudamaster.toolchain.devices.virtual.specs import VirtualGpu

_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_WARPS_OF_A_GROUP = 4
_FASTER = {"e4m3": 2.0, "e5m2": 2.0, "s8": 2.0, "u8": 2.0, "s4": 4.0, "u4": 4.0, "b1": 8.0}
"""Rate ÷ BF16's; TF32's comes from the data sheet."""
_AS_EIGHT_BITS = frozenset({"s4", "u4"})
"""What Hopper's tensor cores have no products of (whitepaper): such operands are made wider."""


@lru_cache(maxsize=1024)
def tensor_flops(opcode: str) -> float:
    """FLOPs of one warp-wide execution; 0 for what is no matrix multiplication."""
    base, shape = opcode.split(".", 1)[0], _SHAPE.search(opcode)
    multiplies = base == "mma" or opcode.startswith(("wmma.mma", "wgmma.mma_async"))
    if not multiplies or shape is None:
        return 0.0
    m, n, k = (int(extent) for extent in shape.groups())
    return 2.0 * m * n * k / (_WARPS_OF_A_GROUP if base == "wgmma" else 1)


def tensor_clocks(opcode: str, gpu: VirtualGpu) -> float:
    """Clocks of an SM's tensor cores that one warp-wide execution takes."""
    device = gpu.device
    modifiers = opcode.split(".")
    inputs = next((m for m in modifiers if m in _FASTER or m in ("tf32", "f64")), "bf16")
    rate = device.bf16_tensor_flops / device.sm_count / device.clock_hz
    if inputs == "tf32":
        rate *= device.tf32_tensor_flops / device.bf16_tensor_flops
    elif inputs == "f64":
        rate = 2 * device.fp64_flops / device.sm_count / device.clock_hz
    else:
        widened = inputs in _AS_EIGHT_BITS and device.architecture >= "sm_90"
        rate *= _FASTER.get("s8" if widened else inputs, 1.0)
    if any(modifier.partition("::")[0] == "sp" for modifier in modifiers):
        rate *= 2
    if not opcode.startswith("wgmma"):
        rate *= gpu.model.mma_sync_fraction
    return tensor_flops(opcode) / rate
