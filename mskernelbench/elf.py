"""Reads the symbol table of a 64-bit ELF object: what it defines and what it wants from elsewhere."""

import struct
from dataclasses import dataclass
from pathlib import Path

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
SYMBOL_TABLE = 2
UNDEFINED = 0


@dataclass(frozen=True, slots=True)
class Symbols:
    """Names in an object's symbol table."""

    undefined: frozenset[str]
    """Imports: what the linker must find elsewhere."""
    defined: frozenset[str]


def read_symbols(path: Path) -> Symbols:
    """The symbols of the object at `path`. Raises ValueError for anything but 64-bit little-endian ELF."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path} is not a 64-bit little-endian ELF file")
    sections = _sections(data)
    undefined: set[str] = set()
    defined: set[str] = set()
    for kind, offset, length, link in sections:
        if kind != SYMBOL_TABLE:
            continue
        names = sections[link]
        for name_at, _, _, section, _, _ in SYMBOL.iter_unpack(data[offset : offset + length]):
            name = _text(data, names[1] + name_at)
            (undefined if section == UNDEFINED else defined).add(name)
    return Symbols(frozenset(undefined - {""}), frozenset(defined - {""}))


def _sections(data: bytes) -> list[tuple[int, int, int, int]]:
    """Type, offset, length and link of every section."""
    header = HEADER.unpack_from(data)
    start, size, count = header[6], header[11], header[12]
    rows = (SECTION.unpack_from(data, start + i * size) for i in range(count))
    return [(row[1], row[4], row[5], row[6]) for row in rows]


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode("utf-8", "replace")
