"""Reads which symbols a 64-bit ELF file exports and expects, without a program to do it."""

import struct
from collections.abc import Iterator
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


class _Symbol(NamedTuple):
    name: str
    kind: int
    defined: bool


def exported_functions(library: Path) -> frozenset[str]:
    """Names of the functions that a shared library defines for others. Raises ValueError for another file."""
    return frozenset(s.name for s in _dynamic_symbols(library) if s.defined and s.kind == FUNCTION)


def undefined_symbols(library: Path) -> frozenset[str]:
    """Names that a shared library expects others to define. Raises ValueError for another file."""
    return frozenset(s.name for s in _dynamic_symbols(library) if not s.defined and s.name)


def _dynamic_symbols(library: Path) -> Iterator[_Symbol]:
    image = library.read_bytes()
    if image[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{library} is no 64-bit little-endian ELF file")
    sections = _sections(image)
    for table in sections:
        if table.kind == DYNAMIC_SYMBOLS:
            yield from _symbols(image, table, sections[table.link])


def _sections(image: bytes) -> list[_Section]:
    table, size, count = *struct.unpack_from("<Q", image, 40), *struct.unpack_from("<HH", image, 58)
    found = []
    for start in range(table, table + size * count, size):
        _, kind, _, _, offset, length, link = struct.unpack_from("<IIQQQQI", image, start)
        found.append(_Section(kind, offset, length, link))
    return found


def _symbols(image: bytes, table: _Section, strings: _Section) -> Iterator[_Symbol]:
    text = image[strings.offset : strings.offset + strings.size]
    entries = image[table.offset : table.offset + table.size]
    for name, info, _, section, _, _ in struct.iter_unpack("<IBBHQQ", entries):
        end = text.index(b"\0", name)
        yield _Symbol(text[name:end].decode(errors="replace"), info & 0xF, section != 0)
