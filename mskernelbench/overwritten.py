"""Which arrays an entry reads before it writes them, as far as its kernels' text shows: a guess."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from mskernelbench.entries import blanked
from mskernelbench.signatures import until_closed

LAUNCH = re.compile(r"(?<!\w)(\w+)\s*(?:<[^<>;(){}]*>\s*)?<<<.*?>>>\s*\(", re.DOTALL)
KERNEL = r"__global__[^;{{}}]*?(?<!\w){name}\s*\("
AFTER = re.compile(r"\s*(\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))?")
"""What follows an element: an assignment, or nothing of the kind."""


@dataclass(frozen=True, slots=True)
class Overwritten:
    """An array that a kernel reads first."""

    name: str
    """The entry's."""
    line: int
    """Where it is read; 1-based."""


def overwritten(source: str, arrays: Collection[str]) -> list[Overwritten]:
    """Those of `arrays` whose first use by a launched kernel reads them, in the order of the launches.

    What cannot be followed (a pointer that is copied, moved or handed on) is not among them.
    """
    text, decided = blanked(source), dict[str, int | None]()
    for launch in LAUNCH.finditer(text):
        given = [argument.strip() for argument in until_closed(text, launch.end()).split(",")]
        for array in arrays:
            if array in given and array not in decided:
                decided[array] = _read_in(text, launch[1], given.index(array))
    return [
        Overwritten(array, text.count("\n", 0, place) + 1)
        for array, place in decided.items()
        if place is not None
    ]


def _read_in(text: str, kernel: str, position: int) -> int | None:
    """Where a kernel reads its argument at `position` before it writes it; None where it does not."""
    head = re.search(KERNEL.format(name=re.escape(kernel)), text)
    if head is None:
        return None
    parameters = until_closed(text, head.end())
    names = [re.findall(r"\w+", parameter) for parameter in parameters.split(",")]
    if position >= len(names) or not names[position]:
        return None
    start = head.end() + len(parameters)
    return _read_first(text[: start + _length(text[start:])], start, names[position][-1])


def _length(text: str) -> int:
    """Up to where the first brace of `text` is closed."""
    depth = 0
    for mark in re.finditer(r"[{}]", text):
        depth += 1 if mark[0] == "{" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def _read_first(text: str, start: int, name: str) -> int | None:
    """Where the first use of `name` behind `start` reads it, or the value of the first write does."""
    mention = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)").search(text, start)
    if mention is None or not text.startswith("[", mention.end()):
        return None
    end = _closed(text, mention.end())
    follows = AFTER.match(text, end)
    if text[: mention.start()].rstrip().endswith("&"):
        return None  # an address that is handed on
    if follows is None or follows[1] != "=":
        return mention.start()
    value = text[follows.end() : text.find(";", follows.end())]
    return mention.start() if any(_elements(value, name)) else None


def _elements(text: str, name: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<![\w.&]){re.escape(name)}\s*\[", text)


def _closed(text: str, start: int) -> int:
    """Behind the square bracket that closes the one at `start`."""
    depth = 0
    for mark in re.finditer(r"[\[\]]", text[start:]):
        depth += 1 if mark[0] == "[" else -1
        if depth == 0:
            return start + mark.end()
    return len(text)
