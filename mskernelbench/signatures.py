"""Compares how many parameters a candidate's entry has with what it is called with."""

import re

from mskernelbench.entries import BODY, MOST_CHARACTERS, blanked
from mskernelbench.operator import Operator, Precision

OPENING, CLOSING = "(<[{", ")>]}"


def signature_hint(source: str, entry: str, operator: Operator, precision: Precision) -> str | None:
    """A sentence where the definition of `entry` has another number of parameters; None where none is known.

    The stream at the end and trailing scalars with defaults may be left out.
    """
    count = parameter_count(source, entry)
    if count is None or count in accepted_counts(operator):
        return None
    have = f"{count} parameter" + ("" if count == 1 else "s")
    wanted = operator.c_signature(precision).replace(f" {operator.entry_symbol(precision)}(", f" {entry}(")
    return f"{entry} has {have}, but is called as {wanted}"


def accepted_counts(operator: Operator) -> range:
    """How many parameters an entry may have."""
    optional = 0
    for parameter in reversed(operator.signature):
        if parameter.default is None:
            break
        optional += 1
    most = len(operator.signature)
    return range(most - optional, most + 2)


def parameter_count(source: str, name: str) -> int | None:
    """Parameters of the first definition of `name` in `source`, read roughly; None where there is none."""
    text = blanked(source)
    for match in re.finditer(rf"(?<![\w.>:~]){re.escape(name)}\s*\(", text):
        parameters = until_closed(text, match.end())
        if BODY.match(text, match.end() + len(parameters) + 1):
            return _count(parameters)
    return None


def until_closed(text: str, start: int) -> str:
    """What stands between the bracket opened just before `start` and the one that closes it."""
    depth = 1
    for position in range(start, min(len(text), start + MOST_CHARACTERS)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return text[start:position]
    return text[start : start + MOST_CHARACTERS]


def _count(parameters: str) -> int:
    """Commas outside of brackets, and one; 0 for an empty list."""
    if parameters.strip() in ("", "void"):
        return 0
    depth, count = 0, 1
    for character in parameters:
        depth += (character in OPENING) - (character in CLOSING)
        count += character == "," and depth == 0
    return count
