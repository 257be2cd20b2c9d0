"""Memory from `alloca`: a region of each lane's local memory that grows, and shrinks at `stackrestore`."""

from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    Instruction,
    Integer,
    Kernel,
    Operand,
    Register,
    Symbol,
    Variable,
)

TOP, REGION = "%top", "%alloca"
REGION_BYTES = 16384
"""Of one lane."""
OPCODES = frozenset({"alloca", "stacksave", "stackrestore"})
DEFAULT_ALIGNMENT = Integer(8)
TOP_REGISTER = Register(TOP)


def with_alloca(kernel: Kernel) -> Kernel:
    """Return `kernel` with its `alloca` instructions as arithmetic; itself if it has none."""
    if not any(i.base in OPCODES for block in kernel.blocks for i in block):
        return kernel
    start = Instruction("mov.b64", (TOP_REGISTER, Symbol(REGION)))
    blocks = [[new for old in block for new in _replaced(old)] for block in kernel.blocks]
    return Kernel(
        kernel.name, kernel.is_entry, kernel.parameters, kernel.returns,
        kernel.registers | {TOP: "b64"},
        kernel.variables | {REGION: Variable(REGION, "local", 16, REGION_BYTES)},
        [[start], *blocks], {name: index + 1 for name, index in kernel.labels.items()},
        kernel.branch_tables, kernel.directives,
    )  # fmt: skip


def _replaced(old: Instruction) -> list[Instruction]:
    if old.base not in OPCODES:
        return [old]
    steps: list[tuple[str, tuple[Operand, ...]]]
    if old.base == "stacksave":
        steps = [("mov.b64", (old.operands[0], TOP_REGISTER))]
    elif old.base == "stackrestore":
        steps = [("mov.b64", (TOP_REGISTER, old.operands[0]))]
    else:
        destination, size, *rest = old.operands
        alignment = rest[0] if rest else DEFAULT_ALIGNMENT
        assert isinstance(alignment, Integer)
        steps = [
            ("add.s64", (TOP_REGISTER, TOP_REGISTER, Integer(alignment.value - 1))),
            ("and.b64", (TOP_REGISTER, TOP_REGISTER, Integer(-alignment.value))),
            ("mov.b64", (destination, TOP_REGISTER)),
            ("add.s64", (TOP_REGISTER, TOP_REGISTER, size)),
            ("stackcheck", (TOP_REGISTER, Symbol(REGION, REGION_BYTES))),
        ]
    return [Instruction(opcode, operands, old.guard, old.source) for opcode, operands in steps]
