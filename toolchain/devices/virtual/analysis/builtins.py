"""The CUDA runtime's device functions as instructions: `printf`, `assert`, `malloc`, `free`."""

from cudamaster.toolchain.devices.virtual.isa.registry import unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    Address,
    Instruction,
    Operand,
    Symbol,
    Vector,
)

WORDS = {"vprintf": "b32", "malloc": "b64", "free": ""}
"""The type of what each function returns."""


def builtin_call(call: Instruction) -> list[Instruction]:
    """Return what the call of a function without a body is replaced by. Raises Unsupported."""
    function = call.operands[1]
    name = function.name if isinstance(function, Symbol) else ""
    if name == "__assertfail":
        return [Instruction("assertfail", _places(call.operands[2]), call.guard, call.source)]
    if name not in WORDS:
        raise unsupported(call, f"the function {name}")
    operands = (*_places(call.operands[0]), *_places(call.operands[2]))
    return [Instruction(f"devicecall.{name}", operands, call.guard, call.source)]


def _places(listed: Operand) -> tuple[Address, ...]:
    """Return the addresses of call parameters."""
    assert isinstance(listed, Vector)
    return tuple(Address(item) for item in listed.items if isinstance(item, Symbol))
