"""Finds the entry in a candidate's source: the accepted name it defines, or what to say of none or two."""

import re
from dataclasses import dataclass

from mskernelbench.operator import Operator, Precision

SUFFIXES = ("", "_optimized", "_origin")
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)


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
    if len(found) == 1 and 'extern "C"' in source:
        return found[0]
    return EntryProblem(_problem(found, names, operator, precision, text))


def blanked(source: str) -> str:
    """`source` with comments and literals replaced by spaces, lines kept."""
    return NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def definitions(text: str, name: str) -> list[Entry]:
    """Where `text`, without comments, defines a host function called `name`."""
    found = []
    for match in re.finditer(rf"\bvoid\s+{re.escape(name)}\s*\(", text):
        if _has_body(text, match.end()) and not _on_device(text, match.start()):
            found.append(Entry(name, text.count("\n", 0, match.start()) + 1))
    return found


def _has_body(text: str, start: int) -> bool:
    """Whether the argument list opened just before `start` is followed by a body."""
    depth, position = 1, start
    while depth and position < len(text):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
    return text[position:].lstrip().startswith("{")


def _on_device(text: str, start: int) -> bool:
    """Whether the declaration that holds `start` is marked `__global__` or `__device__`."""
    declaration = re.split(r"[;{}]", text[:start])[-1]
    return "__global__" in declaration or "__device__" in declaration


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
