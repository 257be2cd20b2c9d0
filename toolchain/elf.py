"""Reads which symbols a 64-bit ELF file exports, without a program to do it."""

import struct
from pathlib import Path
from typing import NamedTuple

DYNAMIC_SYMBOLS = 11
"""Section type SHT_DYNSYM (System V ABI, table 4-9)."""
FUNCTION = 2
"""Symbol type STT_FUNC."""


class _Section(NamedTuple):
    kind: int
    offset: int
    size: int
    link: int


def exported_functions(library: Path) -> frozenset[str]:
    """Names of the functions that a shared library defines for others. Raises ValueError for another file."""
    image = library.read_bytes()
    if image[:5] != b"\x7fELF\x02":
        raise ValueError(f"{library} is no 64-bit ELF file")
    sections = _sections(image)
    names: set[str] = set()
    for section in sections:
        if section.kind == DYNAMIC_SYMBOLS:
            names |= _defined(image, section, sections[section.link])
    return frozenset(names)


def _sections(image: bytes) -> list[_Section]:
    table, size, count = *struct.unpack_from("<Q", image, 40), *struct.unpack_from("<HH", image, 58)
    found = []
    for start in range(table, table + size * count, size):
        _, kind, _, _, offset, length, link = struct.unpack_from("<IIQQQQI", image, start)
        found.append(_Section(kind, offset, length, link))
    return found


def _defined(image: bytes, symbols: _Section, strings: _Section) -> set[str]:
    table = image[symbols.offset : symbols.offset + symbols.size]
    text = image[strings.offset : strings.offset + strings.size]
    return {
        text[name : text.index(b"\0", name)].decode(errors="replace")
        for name, info, _, section, _, _ in struct.iter_unpack("<IBBHQQ", table)
        if section != 0 and info & 0xF == FUNCTION
    }
