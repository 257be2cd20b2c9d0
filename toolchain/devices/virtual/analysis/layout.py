"""Where a kernel's variables and registers live: offsets in shared, local and context memory."""

from dataclasses import dataclass, field

from cudamaster.toolchain.devices.virtual.analysis.calls import function_numbers
from cudamaster.toolchain.devices.virtual.codegen.frame import WARP_REGISTERS
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    TYPE_BYTES,
    Address,
    Kernel,
    Module,
    Register,
    Symbol,
    Variable,
    Vector,
)

RESERVED, RESERVED_BYTES = "%reserved_smem", 1024
RESERVED_VARIABLE = Variable(RESERVED, "shared", 128, RESERVED_BYTES)


@dataclass(slots=True)
class Layout:
    """Byte offsets by name."""

    shared: dict[str, int]
    """Static shared variables; dynamic ones (`extern`, size 0) all begin at `static_shared_bytes`."""
    static_shared_bytes: int
    local: dict[str, int]
    local_bytes: int
    """Local memory of one lane."""
    parameters: dict[str, int]
    variables: dict[str, int]
    """Index of each module variable in the table of addresses."""
    functions: dict[str, int]
    """Numbers that stand for the addresses of functions."""
    registers: dict[str, int] = field(default_factory=dict)
    """Offset in the warp's context of each register that outlives a basic block."""
    context_bytes: int = WARP_REGISTERS


def _align(offset: int, to: int) -> int:
    return -(-offset // to) * to


def _place(variables: dict[str, Variable]) -> tuple[dict[str, int], int]:
    offsets, end = {}, 0
    for name, variable in variables.items():
        offsets[name] = start = _align(end, max(1, variable.align))
        end = start + variable.size
    return offsets, end


def _shared(module: Module, kernel: Kernel) -> tuple[dict[str, int], int]:
    own = [v for v in kernel.variables.values() if v.space == "shared"]
    named = {operand_name for block in kernel.blocks for i in block for operand_name in symbols(i.operands)}
    outer = [v for v in module.variables.values() if v.space == "shared" and v.name in named]
    reserved = [RESERVED_VARIABLE] if _reads_reserved(kernel) else []
    offsets, size = _place({v.name: v for v in reserved + own + outer if v.size})
    dynamic = [v for v in own + outer if not v.size]
    if dynamic:
        size = _align(size, max([16] + [v.align for v in dynamic]))
    return offsets | {v.name: size for v in dynamic}, size


def _reads_reserved(kernel: Kernel) -> bool:
    """Whether a kernel asks where the driver's own shared memory lies, as cooperative groups do."""
    return any(
        isinstance(operand, Register) and operand.name.startswith(RESERVED)
        for block in kernel.blocks
        for instruction in block
        for operand in instruction.operands
    )


def symbols(operands: object) -> set[str]:
    """Return the names of all symbols within operands."""
    if isinstance(operands, Symbol):
        return {operands.name}
    if isinstance(operands, Address):
        return symbols(operands.base)
    if isinstance(operands, Vector):
        return symbols(operands.items)
    if isinstance(operands, tuple):
        return {name for operand in operands for name in symbols(operand)}
    return set()


def plan(module: Module, kernel: Kernel, uniform: frozenset[str], crossing: frozenset[str]) -> Layout:
    """Place the variables of `kernel`, and those registers that cross basic blocks (`crossing`)."""
    shared, shared_bytes = _shared(module, kernel)
    local, local_bytes = _place(
        {name: v for name, v in kernel.variables.items() if v.space in ("local", "param")}
    )
    local_bytes = _align(local_bytes, 16)
    outer = [v.name for v in module.variables.values() if v.space in ("global", "const")]
    parameters = {p.name: p.offset for p in kernel.parameters}
    table = {name: index for index, name in enumerate(outer)}
    functions = function_numbers(module)
    layout = Layout(shared, shared_bytes, local, local_bytes, parameters, table, functions)
    end = WARP_REGISTERS
    for name in sorted(crossing, key=lambda n: (n in uniform, kernel.registers[n] == "pred", n)):
        kind = kernel.registers[name]
        size = TYPE_BYTES[kind] * 32 if name not in uniform else TYPE_BYTES[kind]
        size = 4 if kind == "pred" else size
        layout.registers[name] = end = _align(end, min(64, size))
        end += size
    layout.context_bytes = _align(end, 128)
    return layout
