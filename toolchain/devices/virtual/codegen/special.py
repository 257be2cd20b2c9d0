"""PTX special registers (`%tid.x`, `%laneid`, `%clock64` …) as values."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from cudamaster.toolchain.devices.virtual.analysis.layout import RESERVED, RESERVED_BYTES
from cudamaster.toolchain.devices.virtual.codegen import frame
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, Value, constant, lane_constants
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel, Register

if TYPE_CHECKING:
    from cudamaster.toolchain.devices.virtual.codegen.registers import Registers

PER_BLOCK = {
    "%ctaid": frame.BLOCK_CTAID, "%nctaid": frame.BLOCK_NCTAID, "%ntid": frame.BLOCK_NTID,
    "%clusterid": frame.BLOCK_CLUSTERID, "%nclusterid": frame.BLOCK_NCLUSTERID,
    "%cluster_ctaid": frame.BLOCK_CLUSTER_CTAID, "%cluster_nctaid": frame.BLOCK_CLUSTER_NCTAID,
    "%cluster_ctarank": frame.BLOCK_CLUSTER_CTARANK, "%cluster_nctarank": frame.BLOCK_CLUSTER_NCTARANK,
}  # fmt: skip
CONSTANTS = {"%gridid": 0, "%nsmid": 132, "%current_graph_exec": 0}
RESERVED_ENDS = {"_offset_end": RESERVED_BYTES, "_offset_cap": RESERVED_BYTES}
LANE_MASKS: dict[str, Callable[[int], int]] = {
    "%lanemask_eq": lambda lane: 1 << lane,
    "%lanemask_lt": lambda lane: (1 << lane) - 1,
    "%lanemask_le": lambda lane: (2 << lane) - 1,
    "%lanemask_gt": lambda lane: ~((2 << lane) - 1),
    "%lanemask_ge": lambda lane: ~((1 << lane) - 1),
}
CLOCKS = ("%clock", "%globaltimer")
TICKS_A_LOOK = 64
"""What each look adds to a warp's time: that simulating takes long, or counts, is not to be seen."""
VARYING = ("%tid", "%laneid", "%lanemask", *CLOCKS)
"""Prefixes of the registers that are not launch constants."""


def is_launch_constant(name: str) -> bool:
    """Whether a special register has one value for all lanes of a warp during a launch."""
    return not name.startswith(VARYING)


def reads_clock(kernel: Kernel) -> bool:
    """Whether an instruction reads the time."""
    return any(
        isinstance(operand, Register) and operand.name.startswith(CLOCKS)
        for block in kernel.blocks
        for instruction in block
        for operand in instruction.operands
    )


def special_register(emit: "Registers", name: str) -> Value:
    """Return the value of a special register; raise Unsupported where it is not known."""
    base, _, dimension = name.partition(".")
    axis = 4 * "xyzw".find(dimension) if dimension else 0
    if base in CONSTANTS:
        return constant("i32", CONSTANTS[base])
    if base == "%tid":
        return emit.load("i32", emit.offset("%warp", frame.WARP_TID + 32 * axis), lanes=True, align=64)
    if base in PER_BLOCK:
        return emit.load("i32", emit.offset("%block", PER_BLOCK[base] + axis))
    if base in LANE_MASKS:
        return lane_constants("i32", [LANE_MASKS[base](lane) for lane in range(LANES)])
    if base == "%laneid":
        return lane_constants("i32", range(LANES))
    return _scalar_register(emit, base)


def _scalar_register(emit: "Registers", base: str) -> Value:
    if base == "%warpid":
        return emit.load("i32", emit.offset("%warp", frame.WARP_INDEX))
    if base == "%is_explicit_cluster":
        flag = emit.load("i32", emit.offset("%block", frame.BLOCK_IS_EXPLICIT_CLUSTER))
        return emit.compare("ne", flag, constant("i32", 0))
    if base == "%nwarpid":
        return constant("i32", 64)
    if base == "%smid":
        return emit.load("i32", emit.offset("%block", frame.BLOCK_SM))
    if base in ("%envreg1", "%envreg2"):
        half = 4 if base == "%envreg1" else 0
        return emit.load("i32", emit.offset("%block", frame.BLOCK_WORKSPACE + half))
    if base in ("%total_smem_size", "%dynamic_smem_size", "%aggr_smem_size"):
        total = emit.load("i32", emit.offset("%block", frame.BLOCK_SHARED_BYTES))
        static = emit.layout.static_shared_bytes if base == "%dynamic_smem_size" else 0
        return emit.op("sub", total, constant("i32", static))
    if base.startswith(RESERVED):
        start = emit.layout.shared[RESERVED]
        return constant("i32", start + RESERVED_ENDS.get(base.removeprefix(RESERVED), 0))
    if base.startswith(CLOCKS):
        place = emit.offset("%warp", frame.WARP_CLOCK)
        ticks = emit.op("add", emit.load("i64", place), constant("i64", TICKS_A_LOOK))
        emit.store(ticks, place)
        return ticks if base in ("%clock64", "%globaltimer") else emit.resize(ticks, "i32")
    raise emit.unsupported(f"the register {base}")
