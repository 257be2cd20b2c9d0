"""Matrix Market files as text: the line of an entry that SciPy's reader refuses, or would misread in silence.

The reader drops what follows a number: a fourth number in a line, the fraction in a file of integers, an
exponent of Fortran's. Counting numbers and odd letters finds such files fast; only then are lines looked at.
"""

import bz2
import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

BLOCK_BYTES = 1 << 24
NUMBERS = {"pattern": 0, "real": 1, "integer": 1, "unsigned-integer": 1, "double": 1, "complex": 2}
"""How many make a value, by the field that the head names."""
LETTERS = {"integer": b"+-", "unsigned-integer": b"+", "pattern": b""}
"""Besides digits, what numbers of a field are written with."""
REAL_LETTERS = b"+-.eEnNaAiIfFtTyY"
"""Those of real numbers, `nan` and `infinity` among them: which are refused as values, by their place."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a file says of itself before its entries."""

    rows: int
    cols: int
    entries: int
    layout: str
    """`coordinate`, or `array` for a dense matrix."""
    field: str
    """`real`, `integer`, `pattern`, `complex`, …"""
    symmetry: str
    """`general`, `symmetric`, `skew-symmetric` or `hermitian`."""
    lines: int
    """Lines up to the sizes; entries begin after them."""

    @property
    def numbers(self) -> int:
        """Numbers in the line of an entry."""
        return NUMBERS[self.field] + (2 if self.layout == "coordinate" else 0)

    @property
    def values(self) -> int:
        """Lines of entries: those of a symmetric array are one triangle's."""
        if self.layout == "coordinate" or self.symmetry == "general":
            return self.entries
        return self.rows * (self.rows + (-1 if self.symmetry == "skew-symmetric" else 1)) // 2


def read_head(path: Path) -> Head:
    """The head of the file. Raises ValueError with the line at fault, and what unpacking raises."""
    from scipy.io import mminfo

    lines = _lines_of_head(path)
    try:
        rows, cols, entries, layout, field, symmetry = mminfo(path)
    except ValueError as fault:
        place = "" if str(fault).startswith("Line ") else f"line {lines}: "
        raise ValueError(f"{place}{fault}") from fault
    head = Head(int(rows), int(cols), int(entries), layout, field, symmetry, lines)
    if symmetry != "general" and rows != cols:
        raise ValueError(f"line {lines}: a {symmetry} matrix is square, not {rows}×{cols}")
    return head


def _lines_of_head(path: Path) -> int:
    """The number of the line with the sizes: the first that is neither empty nor a comment."""
    with opened(path) as file:
        numbered = ((number, line.strip()) for number, line in enumerate(file, 1))
        return next((number for number, line in numbered if line and not line.startswith(b"%")), 1)


def opened(path: Path) -> BinaryIO:
    """The file's text, unpacked."""
    match path.suffix:
        case ".gz":
            return cast(BinaryIO, gzip.open(path))
        case ".bz2":
            return cast(BinaryIO, bz2.open(path))
        case _:
            return path.open("rb")


def is_plain(path: Path, head: Head) -> bool:
    """Whether the entries have as many numbers as they must, written as the field's numbers are."""
    known = np.zeros(256, bool)
    known[list(b" \t\r\n\v\f0123456789" + LETTERS.get(head.field, REAL_LETTERS))] = True
    count, after_space = 0, True
    for block in _blocks(path, head.lines):
        space = block <= ord(" ")
        starts = ~space
        starts[1:] &= space[:-1]
        starts[0] &= after_space
        count, after_space = count + int(np.count_nonzero(starts)), bool(space[-1])
        if not known[block].all():
            return False
    return count == head.values * head.numbers


def _blocks(path: Path, lines: int) -> Iterator["np.ndarray[tuple[int], np.dtype[np.uint8]]"]:
    """The text after so many lines, in pieces."""
    with opened(path) as file:
        for _ in range(lines):
            file.readline()
        while piece := file.read(BLOCK_BYTES):
            yield np.frombuffer(piece, np.uint8)


def bad_line(path: Path, head: Head) -> str | None:
    """The first line that holds no entry of such a file, and why; None where all do."""
    seen, number = 0, 0
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            parts = line.decode("latin-1").split()
            if number <= head.lines or not parts:
                continue
            seen += 1
            if reason := _reason(parts, head, seen):
                return f"line {number}: {reason}"
    return None if seen == head.values else f"line {number}: it ends after {seen} of {head.values} entries"


def _reason(parts: list[str], head: Head, seen: int) -> str | None:
    """What is wrong with an entry, the file's `seen`th."""
    if len(parts) != head.numbers:
        line = " ".join(parts)[:40]
        return f"{line!r} is not {head.numbers} numbers, as in a {head.field} {head.layout} file"
    if seen > head.values:
        return f"an entry more than the {head.values} that line {head.lines} promises"
    ids, values = (parts[:2], parts[2:]) if head.layout == "coordinate" else ([], parts)
    for name, text, size in zip(("row", "column"), ids, (head.rows, head.cols), strict=False):
        if not _is(int, text) or not 1 <= int(text) <= size:
            return f"{name} {text} is not one of 1 … {size}"
    kind = int if "integer" in head.field else float
    strange = next((text for text in values if not _is(kind, text)), None)
    if strange is not None:
        return f"{strange} is not {'a whole' if kind is int else 'a'} number"
    if head.symmetry == "skew-symmetric" and ids and int(ids[0]) == int(ids[1]) and float(values[0]):
        return f"{values[0]} stands on the diagonal of a skew-symmetric matrix, which is 0"
    return None


def _is(kind: Callable[[str], int | float], text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True
