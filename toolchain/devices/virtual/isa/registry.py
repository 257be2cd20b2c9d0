"""The table of PTX instructions: one `@instruction` function emits the code of one opcode.

A module of this folder adds an opcode by decorating a function; listing the folder is the registry:

    @instruction("lop3")                      # any lop3.*
    def logic_of_three(emit, instruction): ...

    @instruction("add", "bf16x2")             # only add.*bf16x2*: the entry with most modifiers wins
    def add_bfloat16_pair(emit, instruction): ...

    @instruction("shfl", waits=-1)            # lanes first wait for the members named by the last operand
    @instruction("mma", waits="warp")         # … for every living lane of the warp
    @instruction("red", writes=0)             # no destination: operand 0 is a source
    @instruction("wgmma", updates=True)       # destinations are sources too

A modifier that nobody knows is refused, never ignored: list the opcode's in `vocabulary.py`, or the opcode
there under `CHECKED`, and call `modifiers.require_known` in the function.

Guards (`@p`), masks of divergent warps and the width of the destination are the emitter's business.
"""

import functools
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from cudamaster.toolchain.devices.virtual.isa.vocabulary import CHECKED, LACKING, LEAST_OPERANDS, VOCABULARY
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported

if TYPE_CHECKING:
    from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter

Emit = Callable[["Emitter", Instruction], None]
Waits = int | Literal["warp"] | None


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known about an opcode besides the code it becomes."""

    emit: Emit
    modifiers: frozenset[str]
    """Modifiers an instruction must have for this entry to apply."""
    writes: int
    """Leading operands that are destinations."""
    waits: Waits
    """Index of the member mask operand, `warp` for all living lanes, None for no wait."""
    uniform: bool
    """The result is the same for all lanes, and can be computed once, whenever the sources are."""
    updates: bool
    """What the destinations held is a source too."""


ENTRIES: dict[str, list[Entry]] = {}
"""Entries by base opcode, filled by the decorator."""


def instruction(
    base: str,
    *modifiers: str,
    writes: int = 1,
    waits: Waits = None,
    uniform: bool = False,
    updates: bool = False,
) -> Callable[[Emit], Emit]:
    """Register the decorated function for opcodes `base` that carry all of `modifiers`."""

    def register(emit: Emit) -> Emit:
        entries = ENTRIES.setdefault(base, [])
        entries.append(Entry(emit, frozenset(modifiers), writes, waits, uniform, updates))
        entries.sort(key=lambda entry: -len(entry.modifiers))
        return emit

    return register


@functools.cache
def load_instructions() -> None:
    """Import every module of this folder, once."""
    package = importlib.import_module("cudamaster.toolchain.devices.virtual.isa")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")


def lookup(instruction: Instruction) -> Entry:
    """Return the most specific entry for `instruction`; raise Unsupported, with its line, without one."""
    entry = _entry(instruction.modifiers)
    if len(instruction.operands) < LEAST_OPERANDS.get(instruction.base, 0):
        entry = "too few operands"
    if isinstance(entry, Entry):
        return entry
    raise unsupported(instruction, entry)


@functools.cache
def _entry(words: tuple[str, ...]) -> Entry | str:
    """Return the entry of an opcode, or what about it is not known."""
    load_instructions()
    base, present = words[0], set(words)
    known = present if base in CHECKED else VOCABULARY.get(base, frozenset())
    unknown = [word for word in words[1:] if word not in known]
    if unknown and base in ENTRIES:
        return f"the modifier .{unknown[0]}"
    return next(
        (entry for entry in ENTRIES.get(base, ()) if entry.modifiers <= present), LACKING.get(base, "")
    )


def unsupported(instruction: Instruction, why: str = "") -> Unsupported:
    """Return the exception that names the opcode and its source line."""
    what = f"the instruction {instruction.opcode}" + (f" with {why}" if why else "")
    return Unsupported(what, instruction.source.line if instruction.source else None)
