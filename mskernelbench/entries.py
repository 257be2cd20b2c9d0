"""Finds the entry in a candidate's source: the accepted name it defines, or what to say of none or two.

What a definition returns is not looked at, and a name that macros hand on is taken at their word: the library
exports the entry or does not, and the build says so.
"""

import itertools
import re
from dataclasses import dataclass

from mskernelbench.operator import Operator, Precision

SUFFIXES = ("", "_optimized", "_origin")
NOISE = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)

MOST_MENTIONS, MOST_CHARACTERS = 1000, 10_000
"""Mentions of a name that are looked at, and the length of a list of arguments: no file takes for ever."""
BODY = re.compile(r"\s*(?:noexcept\s*)?(?:->[\w\s:*&]+)?\{")
TYPE_BEFORE = re.compile(r"[\w>*&)\]]\s*$")


@dataclass(frozen=True, slots=True)
class Entry:
    """One definition of an `extern "C"` host function."""

    name: str
    line: int
    """1-based."""


@dataclass(frozen=True, slots=True)
class EntryProblem:
    """Why no entry could be chosen."""

    reason: str
    """One sentence a person can act on."""


def accepted_names(operator: Operator, precision: Precision) -> tuple[str, ...]:
    """The names an entry may have: `SYMBOL`, `SYMBOL_optimized`, `SYMBOL_origin`, or their BF16 forms."""
    return tuple(operator.entry_symbol(precision) + suffix for suffix in SUFFIXES)


def find_entry(
    source: str, operator: Operator, precision: Precision, chosen: str | None = None
) -> Entry | EntryProblem:
    """The entry that `source` defines; `chosen` picks one of several, or any other name."""
    names = (chosen,) if chosen else accepted_names(operator, precision)
    text = blanked(source)
    found = [entry for name in names for entry in definitions(text, name)]
    found = found or [entry for name in names for entry in _handed_on(text, name)]
    if len(found) == 1 and 'extern "C"' in source:
        return found[0]
    return EntryProblem(_problem(found, names, operator, precision, text))


def blanked(source: str) -> str:
    """`source` with comments and literals replaced by spaces, lines kept."""
    return NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def definitions(text: str, name: str) -> list[Entry]:
    """Where `text`, without comments, defines a host function called `name`."""
    found = []
    mentions = re.finditer(rf"(?:\b\w+\s+)?(?<![\w.>:~])({re.escape(name)})\s*\(", text)
    for match in itertools.islice(mentions, MOST_MENTIONS):
        if _has_body(text, match.end()) and _is_declared(text, match.start(1)):
            found.append(Entry(name, text.count("\n", 0, match.start()) + 1))
    return found


def _handed_on(text: str, name: str) -> list[Entry]:
    """Where macros of `text` are given `name` or stand for it; the first place is the entry's."""
    macros = "|".join(map(re.escape, re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(", text, re.MULTILINE)))
    word = rf"(?<!\w){re.escape(name)}(?!\w)"
    places = [rf"^[ \t]*#[ \t]*define[ \t]+\w[^\n]*?[ \t)]{word}"]
    if macros:
        places.append(rf"(?<!\w)(?:{macros})[ \t]*\([^();{{}}]*?{word}")
    starts = [match.end() for place in places for match in re.finditer(place, text, re.MULTILINE)]
    return [Entry(name, text.count("\n", 0, min(starts)) + 1)] if starts else []


def _has_body(text: str, start: int) -> bool:
    """Whether the argument list opened just before `start` is followed by a body."""
    depth, position = 1, start
    while depth and position < min(len(text), start + MOST_CHARACTERS):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
    return BODY.match(text, position) is not None


def _is_declared(text: str, start: int) -> bool:
    """Whether a type stands before `start`, and neither `__global__` nor `__device__`."""
    begun = max(text.rfind(mark, 0, start) for mark in ";{}") + 1
    declaration = re.sub(r"^[ \t]*#[^\n]*", "", text[begun:start], flags=re.MULTILINE)
    if "__global__" in declaration or "__device__" in declaration:
        return False
    return bool(TYPE_BEFORE.search(declaration))


def _problem(
    found: list[Entry], names: tuple[str, ...], operator: Operator, precision: Precision, text: str
) -> str:
    wanted = f"{operator.c_signature(precision)} {{ … }}"
    if len(found) > 1:
        places = ", ".join(f"{entry.name} (line {entry.line})" for entry in found)
        return f"the file defines {len(found)} entries, {places}; pick one with --entry"
    if found:
        return f'{found[0].name} (line {found[0].line}) is not extern "C"; define {wanted}'
    if other := _other_precision(operator, precision, text):
        found_other = f"{other.name} (line {other.line})"
        return f"the file defines {found_other}, not an entry for {precision}; define {wanted}"
    return f"the file defines none of {', '.join(names)}; define {wanted}"


def _other_precision(operator: Operator, precision: Precision, text: str) -> Entry | None:
    other = Precision.BF16 if precision is Precision.FP32 else Precision.FP32
    found = [entry for name in accepted_names(operator, other) for entry in definitions(text, name)]
    return found[0] if found else None
