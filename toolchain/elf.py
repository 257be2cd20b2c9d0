"""Reads which symbols a 64-bit ELF file defines and expects, without a program to do it."""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

ALL_SYMBOLS, DYNAMIC_SYMBOLS = 2, 11
"""Section types SHT_SYMTAB and SHT_DYNSYM (System V ABI, table 4-9)."""
VARIABLE, FUNCTION, THREAD_LOCAL = 1, 2, 6
"""Symbol types STT_OBJECT, STT_FUNC, STT_TLS; 10, STT_GNU_UNIQUE's type, is a binding."""
CONSTRUCTORS = 14
"""Section type SHT_INIT_ARRAY: addresses of eight bytes."""
WRITABLE, EXECUTABLE = 1, 4
"""Section flags SHF_WRITE, SHF_EXECINSTR."""


@dataclass(frozen=True, slots=True)
class Symbols:
    """Names in an object's symbol table."""

    undefined: frozenset[str]
    """Imports: what the linker must find elsewhere."""
    defined: frozenset[str]
    writable: Mapping[str, int] = field(default_factory=dict)
    """Variables that a program may change, those of each thread included, and their sizes in bytes."""
    constructors: int = 0
    """Functions that run when the file is loaded."""


class _Section(NamedTuple):
    kind: int
    flags: int
    offset: int
    size: int
    link: int


class _Symbol(NamedTuple):
    name: str
    kind: int
    section: int
    """Index of the section that holds it; 0 where it is not defined."""
    size: int

    @property
    def defined(self) -> bool:
        return self.section != 0


def exported_functions(library: Path) -> frozenset[str]:
    """Names of the functions that a shared library defines for others. Raises ValueError for another file."""
    symbols = _symbols_of(library, DYNAMIC_SYMBOLS)
    return frozenset(s.name for s in symbols if s.defined and s.kind == FUNCTION)


def undefined_symbols(library: Path) -> frozenset[str]:
    """Names that a shared library expects others to define. Raises ValueError for another file."""
    return frozenset(s.name for s in _symbols_of(library, DYNAMIC_SYMBOLS) if not s.defined and s.name)


def imports_of_object(code: bytes) -> frozenset[str]:
    """Names that an object file in memory expects others to define. Raises ValueError for anything else."""
    return frozenset(
        s.name for s in _symbols_in(_checked(code, "this"), ALL_SYMBOLS) if not s.defined and s.name
    )


def read_symbols(path: Path) -> Symbols:
    """All symbols of the object at `path`. Raises ValueError for anything but 64-bit little-endian ELF."""
    named = [symbol for symbol in _symbols_of(path, ALL_SYMBOLS) if symbol.name]
    sections = dict(enumerate(_sections(path.read_bytes())))
    changing = {i for i, section in sections.items() if section.flags & WRITABLE}
    return Symbols(
        undefined=frozenset(symbol.name for symbol in named if not symbol.defined),
        defined=frozenset(symbol.name for symbol in named if symbol.defined),
        writable={
            symbol.name: symbol.size
            for symbol in named
            if symbol.section in changing and symbol.kind in (VARIABLE, THREAD_LOCAL)
        },
        constructors=sum(s.size // 8 for s in sections.values() if s.kind == CONSTRUCTORS),
    )


def machine_code(path: Path) -> list[bytes]:
    """The contents of the sections that hold code, before relocation. Raises ValueError."""
    image = _image(path)
    code = [section for section in _sections(image) if section.flags & EXECUTABLE]
    return [image[section.offset : section.offset + section.size] for section in code]


def _image(path: Path) -> bytes:
    return _checked(path.read_bytes(), str(path))


def _checked(image: bytes, what: str) -> bytes:
    if image[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{what} is no 64-bit little-endian ELF file")
    return image


def _symbols_of(path: Path, kind: int) -> Iterator[_Symbol]:
    return _symbols_in(_image(path), kind)


def _symbols_in(image: bytes, kind: int) -> Iterator[_Symbol]:
    sections = _sections(image)
    for table in sections:
        if table.kind == kind:
            yield from _symbols(image, table, sections[table.link])


def _sections(image: bytes) -> list[_Section]:
    table, size, count = *struct.unpack_from("<Q", image, 40), *struct.unpack_from("<HH", image, 58)
    found = []
    for start in range(table, table + size * count, size):
        _, kind, flags, _, offset, length, link = struct.unpack_from("<IIQQQQI", image, start)
        found.append(_Section(kind, flags, offset, length, link))
    return found


def _symbols(image: bytes, table: _Section, strings: _Section) -> Iterator[_Symbol]:
    text = image[strings.offset : strings.offset + strings.size]
    entries = image[table.offset : table.offset + table.size]
    for name, info, _, section, _, size in struct.iter_unpack("<IBBHQQ", entries):
        end = text.index(b"\0", name)
        yield _Symbol(text[name:end].decode(errors="replace"), info & 0xF, section, size)
