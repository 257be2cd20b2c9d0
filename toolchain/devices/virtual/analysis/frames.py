"""Stack frames of functions that stand apart: every lane has a stack in its local memory.

A frame holds, from its start: the number of the place to return to, the results and arguments (16 bytes each
or more), the function's own local variables, and its registers while it waits for a call that may enter it
again. The register FRAME points to the frame of the running function; the kernel itself, and what is written
into its body, has an empty frame at the bottom.
"""

from dataclasses import dataclass, field

from cudamaster.toolchain.devices.virtual.analysis.calls import Calls, call_arguments
from cudamaster.toolchain.devices.virtual.analysis.flow import analyse
from cudamaster.toolchain.devices.virtual.analysis.rename import FRAME
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    TYPE_BYTES,
    Address,
    Instruction,
    Integer,
    Kernel,
    Register,
    Symbol,
    Variable,
)

STACK, RETURN = "%stack", "%return"
STACK_BYTES = 16384
"""Of one lane: sixteen times CUDA's default limit."""
ARGUMENT_BYTES = 1024
"""Kept free above the running function's frame, since arguments are stored before the call is made."""
UNIT = 16
FRAME_REGISTER = Register(FRAME)
STACK_VARIABLE = Variable(STACK, "local", UNIT, STACK_BYTES)


def _rounded(size: int) -> int:
    return -(-size // UNIT) * UNIT


def argument_places(variables: list[Variable]) -> list[int]:
    """Return where in the callee's frame each result and argument lies, and where the next would."""
    places = [UNIT]
    for variable in variables:
        places.append(places[-1] + max(UNIT, _rounded(variable.size)))
    return places


@dataclass(slots=True)
class Frame:
    """The frame of one recursive function."""

    function: Kernel
    places: dict[str, int] = field(default_factory=dict)
    """Offsets of results, arguments and local variables."""
    saved: dict[str, int] = field(default_factory=dict)
    """Offsets of registers."""
    live: dict[int, list[str]] = field(default_factory=dict)
    """The registers to keep during the call that ends each basic block."""
    size: int = 0


def frame_of(calls: Calls, function: Kernel) -> Frame:
    """Lay out the frame of `function`."""
    frame = Frame(function)
    formals = [*function.returns, *function.parameters]
    *places, end = argument_places(formals)
    frame.places = {v.name: place for v, place in zip(formals, places, strict=True)}
    for name, variable in function.variables.items():
        if variable.space == "local":
            frame.places[name] = end
            end += _rounded(variable.size)
    for index, names in _kept(calls, function).items():
        frame.live[index] = names
        for name in names:
            if name not in frame.saved:
                frame.saved[name] = end
                end += max(8, TYPE_BYTES[function.registers[name]])
    frame.size = _rounded(end)
    return frame


def _kept(calls: Calls, function: Kernel) -> dict[int, list[str]]:
    """Return the registers that are read after each call which may enter the function again."""
    flow = analyse(function)
    kept = {}
    for index, block in enumerate(function.blocks):
        if block[-1].base != "call":
            continue
        targets = calls.targets(function, block[-1])
        if any(function.name == t or function.name in calls.reached(t) for t in targets):
            names = flow.live_in[index + 1] if index + 1 < len(function.blocks) else ()
            kept[index] = sorted(names)
    return kept


def outgoing_places(calls: Calls, caller: Kernel, own_bytes: int) -> dict[str, int]:
    """Return where, from the caller's frame on, what its calls of recursive functions pass lies."""
    places: dict[str, int] = {}
    for block in caller.blocks:
        if block[-1].base != "call" or not any(map(calls.stands_apart, calls.targets(caller, block[-1]))):
            continue
        names = call_arguments(block[-1])
        offsets = argument_places([caller.variables[name] for name in names])
        places |= {name: own_bytes + place for name, place in zip(names, offsets, strict=False)}
    return places


def keep(frame: Frame, index: int, like: Instruction, rename: dict[str, str]) -> list[Instruction]:
    """Return the stores of the registers that outlive the call at the end of block `index`."""
    code = []
    for name in frame.live.get(index, ()):
        kind, register = frame.function.registers[name], Register(rename.get(name, name))
        place = Address(FRAME_REGISTER, frame.saved[name])
        if kind == "pred":
            wide = Register(RETURN)
            code.append(Instruction("selp.b32", (wide, Integer(1), Integer(0), register), None, like.source))
            kind, register = "b32", wide
        code.append(Instruction(f"st.local.{kind}", (place, register), None, like.source))
    return code


def restore(frame: Frame, index: int, like: Instruction, rename: dict[str, str]) -> list[Instruction]:
    """Return the loads that undo `keep`."""
    code = []
    for name in frame.live.get(index, ()):
        kind, register = frame.function.registers[name], Register(rename.get(name, name))
        place = Address(FRAME_REGISTER, frame.saved[name])
        if kind == "pred":
            wide = Register(RETURN)
            code.append(Instruction("ld.local.b32", (wide, place), None, like.source))
            code.append(Instruction("setp.ne.b32", (register, wide, Integer(0)), None, like.source))
        else:
            code.append(Instruction(f"ld.local.{kind}", (register, place), None, like.source))
    return code


def enter(number: int, own_bytes: int, callee: Frame, call: Instruction) -> list[Instruction]:
    """Return what goes before a jump to `callee`, which will return to place `number`."""
    wide = Register(RETURN)
    ready = Symbol(STACK, STACK_BYTES - ARGUMENT_BYTES - callee.size)
    return [
        Instruction("mov.b32", (wide, Integer(number)), None, call.source),
        Instruction("add.s64", (FRAME_REGISTER, FRAME_REGISTER, Integer(own_bytes)), None, call.source),
        Instruction("stackcheck", (FRAME_REGISTER, ready), None, call.source),
        Instruction("st.local.b32", (Address(FRAME_REGISTER), wide), None, call.source),
    ]


def leave(own_bytes: int, call: Instruction) -> Instruction:
    """Return what follows a call: the frame is the caller's again."""
    return Instruction("sub.s64", (FRAME_REGISTER, FRAME_REGISTER, Integer(own_bytes)), None, call.source)
