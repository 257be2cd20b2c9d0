"""Registers that are launch constants: one value for all lanes of a warp, computed once from parameters.

Such a register is written by one unguarded instruction, whose opcode allows it and whose sources are all
launch constants; it is kept as a scalar.
"""

from cudamaster.toolchain.devices.virtual.analysis.flow import Flow, accesses, registers_of
from cudamaster.toolchain.devices.virtual.codegen.special import is_launch_constant
from cudamaster.toolchain.devices.virtual.isa.registry import lookup
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    Address,
    Instruction,
    Kernel,
    Register,
    Symbol,
    Vector,
)


def launch_constants(kernel: Kernel, flow: Flow) -> frozenset[str]:
    """Return the names of the registers to be kept as scalars."""
    candidates = {
        name: made[0]
        for name, made in flow.definitions.items()
        if len(made) == 1 and _is_candidate(kernel, made[0])
    }
    constants: set[str] = set()
    size = -1
    while size != len(constants):
        size = len(constants)
        for name, made in candidates.items():
            if name not in constants and constants.issuperset(accesses(kernel, made).read):
                constants.add(name)
    return frozenset(constants)


def _is_candidate(kernel: Kernel, instruction: Instruction) -> bool:
    if instruction.guard is not None or not lookup(instruction).uniform:
        return False
    if not isinstance(instruction.operands[0], Register):
        return False
    return all(_is_constant_source(kernel, operand) for operand in instruction.operands[1:])


def _is_constant_source(kernel: Kernel, operand: object) -> bool:
    if isinstance(operand, Address):
        return _is_parameter(kernel, operand)
    if isinstance(operand, Vector):
        return False
    if isinstance(operand, Register):
        return operand.name in kernel.registers or is_launch_constant(operand.name)
    if isinstance(operand, Symbol):
        variable = kernel.variables.get(operand.name)
        return variable is None or variable.space == "shared"
    return True


def _is_parameter(kernel: Kernel, address: Address) -> bool:
    names = {parameter.name for parameter in kernel.parameters}
    return isinstance(address.base, Symbol) and address.base.name in names and not list(registers_of(address))
