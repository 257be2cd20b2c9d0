"""Puts integer literals where a register holds nothing else: `mov.u32 %r5, 16` and a later use of `%r5`."""

from cudamaster.toolchain.devices.virtual.analysis.flow import accesses
from cudamaster.toolchain.devices.virtual.isa.registry import lookup
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    Instruction,
    Integer,
    Kernel,
    Operand,
    Register,
    Vector,
)


def literals(kernel: Kernel) -> dict[str, Integer]:
    """Return the registers whose only assignment is an unguarded `mov` of an integer."""
    count: dict[str, int] = {}
    moved: dict[str, Integer] = {}
    for block in kernel.blocks:
        for instruction in block:
            for name in accesses(kernel, instruction).written:
                count[name] = count.get(name, 0) + 1
            if instruction.base == "mov" and instruction.guard is None and instruction.type != "pred":
                target, source = instruction.operands
                if isinstance(target, Register) and isinstance(source, Integer):
                    moved[target.name] = source
    return {name: value for name, value in moved.items() if count[name] == 1}


def with_literals(kernel: Kernel) -> Kernel:
    """Return `kernel` with literals in place of the registers that hold them; itself if there are none."""
    known = literals(kernel)
    if not known:
        return kernel
    blocks = [[_replaced(instruction, known) for instruction in block] for block in kernel.blocks]
    return Kernel(
        kernel.name, kernel.is_entry, kernel.parameters, kernel.returns, kernel.registers,
        kernel.variables, blocks, kernel.labels, kernel.branch_tables, kernel.directives,
    )  # fmt: skip


def _replaced(instruction: Instruction, known: dict[str, Integer]) -> Instruction:
    writes = lookup(instruction).writes
    operands = tuple(
        operand if index < writes else _literal(operand, known)
        for index, operand in enumerate(instruction.operands)
    )
    if operands == instruction.operands:
        return instruction
    return Instruction(instruction.opcode, operands, instruction.guard, instruction.source)


def _literal(operand: Operand, known: dict[str, Integer]) -> Operand:
    match operand:
        case Register(name):
            return known.get(name, operand)
        case Vector(items):
            return Vector(tuple(_literal(item, known) for item in items))
    return operand
