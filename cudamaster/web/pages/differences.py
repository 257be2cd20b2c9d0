"""What differs between two sources, line by line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from markupsafe import Markup

from cudamaster.web.pages.code import Line

AROUND = 3
"""Equal lines shown before and after a change."""


class Changed(NamedTuple):
    """Numbers of the lines, from 1, that the other source lacks."""

    before: frozenset[int]
    after: frozenset[int]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a difference."""

    mark: str
    """` `, `-` or `+`; `@` for equal lines that are left out."""
    before: int | None
    after: int | None
    html: Markup
    left_out: int = 0


class Difference:
    """Two sources compared."""

    def __init__(self, before: str, after: str) -> None:
        one, other = (source.removesuffix("\n").split("\n") for source in (before, after))
        self._matcher = SequenceMatcher(None, one, other, autojunk=False)

    @property
    def changed(self) -> Changed:
        """Lines that only one of them has."""
        before: set[int] = set()
        after: set[int] = set()
        for kind, i, i_end, j, j_end in self._matcher.get_opcodes():
            if kind != "equal":
                before.update(range(i + 1, i_end + 1))
                after.update(range(j + 1, j_end + 1))
        return Changed(frozenset(before), frozenset(after))

    def lines(self, before: Sequence[Line], after: Sequence[Line]) -> Iterator[DiffLine]:
        """The difference as one list, with a few equal lines around each change."""
        last = 0
        for group in self._matcher.get_grouped_opcodes(AROUND):
            if skipped := group[0][1] - last:
                yield DiffLine("@", None, None, Markup(), skipped)
            for kind, i, i_end, j, j_end in group:
                yield from _part(kind, before[i:i_end], after[j:j_end])
            last = group[-1][2]
        if rest := len(before) - last:
            yield DiffLine("@", None, None, Markup(), rest)


def _part(kind: str, before: Sequence[Line], after: Sequence[Line]) -> Iterator[DiffLine]:
    if kind == "equal":
        pairs = zip(before, after, strict=True)
        yield from (DiffLine(" ", one.number, other.number, other.html) for one, other in pairs)
        return
    yield from (DiffLine("-", line.number, None, line.html) for line in before)
    yield from (DiffLine("+", None, line.number, line.html) for line in after)
