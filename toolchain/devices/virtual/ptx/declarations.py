"""Declarations of variables, parameters and registers, with their initialisers."""

import re
import struct
from math import prod

from cudamaster.toolchain.devices.virtual.ptx.nouns import TYPE_BYTES, Float, Integer, Symbol, Variable
from cudamaster.toolchain.devices.virtual.ptx.operands import integer, operand

_HANDLE_BYTES = {"texref": 8, "samplerref": 8, "surfref": 8}
_BYTES = TYPE_BYTES | _HANDLE_BYTES
_ATTRIBUTE = re.compile(r"\.attribute\s*\((?:[^()]|\([^()]*\))*\)")
_LINKAGE = re.compile(r"\s*(?:\.(?:visible|extern|weak|common)\s+)*")
_HEAD = re.compile(r"\.(\w+)((?:\s*\.align\s+\d+|\s*\.\w+(?:::\w+)?)*)\s*(.*)$", re.DOTALL)
_NAMED = re.compile(r"([\w$%]+)\s*((?:\[[^\]]*\]\s*)*)$")
_MANY = re.compile(r"([\w$%]+)\s*<\s*(\d+)\s*>$")
_RELOCATION = re.compile(
    r"(?:(0[xX][0-9a-fA-F]+)\s*\(\s*)?(?:generic\s*\(\s*)?([A-Za-z_$][\w$]*)[\s)]*(?:([+-]\s*\w+))?[\s)]*$"
)
_ELEMENTS = {"v2": (".x", ".y"), "v4": (".x", ".y", ".z", ".w")}
SPACES = frozenset({"param", "global", "const", "shared", "local"})


def variables(text: str) -> list[Variable]:
    """The variables that one declaration (without its `;`) declares; ValueError if it is none."""
    head, _, initialiser = text.partition("=")
    managed = any(".managed" in attribute for attribute in _ATTRIBUTE.findall(head))
    head = _LINKAGE.sub("", _ATTRIBUTE.sub("", head), count=1).strip()
    match = _HEAD.match(head)
    if match is None or match[1] not in SPACES:
        raise ValueError(f"the declaration {head[:60]!r}")
    place, words = (match[1], match[2]), match[3].split(",")
    return [_variable(*place, word.strip(), initialiser.strip(), managed=managed) for word in words]


def _variable(
    space: str, attributes: str, declarator: str, initialiser: str, *, managed: bool = False
) -> Variable:
    words = [word.strip() for word in attributes.split(".") if word.strip()]
    kind = next((word for word in words if word in _BYTES), None)
    named = _NAMED.match(declarator)
    if kind is None or named is None:
        raise ValueError(f"the declaration .{space}{attributes} {declarator[:60]}")
    width = _BYTES[kind] * next((int(word[1:]) for word in words if word in ("v2", "v4", "v8")), 1)
    aligns = [int(word.split()[1]) for word in words if word.startswith("align")]
    align = width if "ptr" in words or not aligns else aligns[0]
    dimensions = [integer(size.strip() or "0") for size in re.findall(r"\[([^\]]*)\]", named[2])]
    variable = Variable(named[1], space, align, width * prod(dimensions), kind, managed=managed)
    if initialiser:
        _initialise(variable, initialiser, dimensions)
    return variable


def _initialise(variable: Variable, text: str, dimensions: list[int]) -> None:
    width = _BYTES[variable.type]
    relocations: list[tuple[int, str, int]] = []
    if "{" in text[1:]:
        values = _nested(text, dimensions)
    else:
        values = [item.strip() for item in text.strip("{} \t\n").split(",")]
    data = _plain_bytes(values) if width == 1 else None
    if data is None:
        data = b"".join([_element(value, width, i * width, relocations) for i, value in enumerate(values)])
    if not variable.size:
        variable.size = len(data)
    variable.initial = data.ljust(variable.size, b"\0")
    variable.relocations = tuple(relocations)


def _plain_bytes(values: list[str]) -> bytes | None:
    """Byte tables are long and plain: one pass, or None where something else stands among them."""
    try:
        return bytes(map(int, values))
    except ValueError:
        return None


def _nested(text: str, dimensions: list[int]) -> list[str]:
    """The elements of `{{a}, {b, c}}`, each inner list padded with zeros to its dimension."""
    room = prod(dimensions[1:])
    parts = re.findall(r"\{((?:[^{}]|\{[^{}]*\})*)\}|([^,{}]+)", text.strip()[1:-1])
    values: list[str] = []
    for braced, single in parts:
        if single.strip():
            values.append(single.strip())
        elif braced.strip():
            inner = _nested("{" + braced + "}", dimensions[1:])
            values += inner + ["0"] * (room - len(inner))
    return values


def _element(text: str, width: int, offset: int, relocations: list[tuple[int, str, int]]) -> bytes:
    if not text:
        return b""
    value = operand(text) if "(" not in text else None
    match value:
        case Integer(number):
            return (number & ((1 << 8 * width) - 1)).to_bytes(width, "little")
        case Float(bits, bit_width):
            return _float_bytes(bits, bit_width, width)
        case Symbol(name, addend):
            relocations.append((offset, name, addend))
            return bytes(width)
    _relocate(text, offset, relocations)
    return bytes(width)


def _relocate(text: str, offset: int, relocations: list[tuple[int, str, int]]) -> None:
    """`generic(sym)+8`, or one byte of it as `0xFF00(sym)`, whose lowest byte stands for all eight."""
    match = _RELOCATION.match(text)
    if match is None:
        raise ValueError(f"the initialiser {text[:60]!r}")
    if match[1] is None or int(match[1], 16) == 0xFF:
        relocations.append((offset, match[2], integer(match[3]) if match[3] else 0))


def _float_bytes(bits: int, bit_width: int, width: int) -> bytes:
    if bit_width == 8 * width:
        return bits.to_bytes(width, "little")
    number = struct.unpack("<d", bits.to_bytes(8, "little"))[0]
    return struct.pack({2: "<e", 4: "<f"}[width], number)


def parameters(text: str) -> tuple[Variable, ...]:
    """A parameter list (without its parentheses), with byte offsets laid out as the ABI does."""
    laid_out = []
    end = 0
    for item in text.split(","):
        if not item.strip():
            continue
        (variable,) = variables(item.strip())
        variable.offset = -(-end // variable.align) * variable.align
        end = variable.offset + variable.size
        laid_out.append(variable)
    return tuple(laid_out)


def registers(text: str) -> dict[str, str]:
    """Types by name of `.reg .b32 a, %r<3>` (the count declares `%r0` to `%r2`); ValueError if malformed.

    Each element of a vector is a register: `.reg .v2 .f32 v` declares `v.x` and `v.y`.
    """
    match = _HEAD.match(text)
    words = [word[1:] for word in match[2].split()] if match else []
    elements = _ELEMENTS[words.pop(0)] if words and words[0] in _ELEMENTS else ("",)
    if match is None or len(words) != 1 or words[0] not in TYPE_BYTES:
        raise ValueError(f"the register declaration {text[:60]!r}")
    declared = {}
    for name in match[3].split(","):
        many = _MANY.match(name.strip())
        names = [f"{many[1]}{i}" for i in range(int(many[2]))] if many else [name.strip()]
        declared.update({name + element: words[0] for name in names for element in elements})
    return declared
