"""Atomics whose updates ptxas adds up across the warp first: one lane makes a single update for all.

Seen in SASS of nvcc 13.0: integer updates of an address that is the same for the whole warp become
`VOTE`, `POPC` or `REDUX`, and one `RED`, `ATOMG` or `ATOMS` by the first lane. Updates by one value for all
lanes (a counter's) on every architecture; by a value a lane, which takes `REDUX`, only of 32 bits and since
sm_80. Floating-point updates are left as they are.
"""

import functools

from cudamaster.toolchain.devices.virtual.analysis.flow import analyse
from cudamaster.toolchain.devices.virtual.analysis.uniform import launch_constants
from cudamaster.toolchain.devices.virtual.cost.dataflow import KEPT_KERNELS, address_of
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    Instruction,
    Integer,
    Kernel,
    Operand,
    Register,
    Symbol,
)

_ADDITIONS = frozenset({"add", "inc"})
_REDUCTIONS = frozenset({"add", "min", "max", "and", "or", "xor"})
_WORDS = frozenset({"u32", "s32", "b32"})
_LONG = frozenset({"u64", "s64"})


@functools.lru_cache(KEPT_KERNELS)
def combined_atomics(kernel: Kernel, architecture: str) -> frozenset[Instruction]:
    """The kernel's atomics that one lane of a warp makes for all."""
    atomics = [i for block in kernel.blocks for i in block if _may_combine(i)]
    if not atomics:
        return frozenset()
    constants = launch_constants(kernel, analyse(kernel))
    return frozenset(i for i in atomics if _combines(i, constants, reduces=architecture >= "sm_80"))


def _may_combine(instruction: Instruction) -> bool:
    return instruction.base in ("atom", "red") and instruction.type in _WORDS | _LONG


def _combines(instruction: Instruction, constants: frozenset[str], *, reduces: bool) -> bool:
    address = address_of(instruction)
    if address is None or not _is_uniform(address.base, constants):
        return False
    operations = set(instruction.modifiers)
    value = instruction.operands[-1]
    if operations & _ADDITIONS and _is_uniform(value, constants):
        return True
    return reduces and instruction.type in _WORDS and bool(operations & _REDUCTIONS)


def _is_uniform(operand: Operand, constants: frozenset[str]) -> bool:
    match operand:
        case Register(name):
            return name in constants
        case Integer() | Symbol():
            return True
    return False
