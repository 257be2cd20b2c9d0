"""Which modifiers of an opcode an instruction function knows; any other is refused rather than ignored."""

from collections.abc import Iterable

from cudamaster.toolchain.devices.virtual.isa.registry import unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction


def require_known(ins: Instruction, *known: str | Iterable[str]) -> None:
    """Raise Unsupported if `ins` has a modifier that is not among `known` words or collections of words."""
    words: set[str] = set()
    for item in known:
        words.update([item] if isinstance(item, str) else item)
    unknown = [word for word in ins.modifiers[1:] if word not in words]
    if unknown:
        raise unsupported(ins, f"the modifier .{unknown[0]}")
