"""Compares the parameters of a candidate's entry with what it is called with."""

import re

from mskernelbench.entries import BODY, MOST_CHARACTERS, blanked
from mskernelbench.operator import Access, Kind, Operator, Parameter, Precision

OPENING, CLOSING = "(<[{", ")>]}"
TYPES = frozenset({"float", "double", "int", "half", "__half", "__nv_bfloat16"})
"""What can stand for nothing else in a parameter's type."""
NUMBERS = frozenset(
    {"bool", "char", "short", "int", "long", "unsigned", "size_t", "int32_t", "int64_t", "float", "double"}
)
"""What no type of a stream holds."""


def signature_hint(source: str, entry: str, operator: Operator, precision: Precision) -> str | None:
    """A sentence where the definition of `entry` takes something else; None where none is known.

    The stream at the end and trailing scalars with defaults may be left out.
    """
    parameters = parameters_of(source, entry)
    if parameters is None:
        return None
    wanted = operator.c_signature(precision).replace(f" {operator.entry_symbol(precision)}(", f" {entry}(")
    if len(parameters) not in accepted_counts(operator):
        have = f"{len(parameters)} parameter" + ("" if len(parameters) == 1 else "s")
        return f"{entry} has {have}, but is called as {wanted}"
    pairs = enumerate(zip(parameters, operator.signature, strict=False), 1)
    for number, (written, parameter) in pairs:
        if _takes_another(written, parameter, precision):
            return f"parameter {number} of {entry} is '{written}', but it is called as {wanted}"
    return None


def surplus_parameter(source: str, entry: str, operator: Operator) -> str | None:
    """A sentence where `entry` takes a number after all that it is called with; None where none is known."""
    parameters = parameters_of(source, entry)
    if parameters is None or len(parameters) != len(operator.signature) + 1:
        return None
    last = parameters[-1]
    if "*" in last or "[" in last or not NUMBERS.intersection(re.findall(r"\w+", last)):
        return None
    return (
        f"{entry} has the parameter '{last}', which nothing is given for: "
        "only a cudaStream_t may follow the others"
    )


def _takes_another(written: str, parameter: Parameter, precision: Precision) -> bool:
    """Whether what is `written` is surely not `parameter`: names of types that it defines itself may be."""
    is_pointer = "*" in written or "[" in written
    is_constant = is_pointer and "const" in re.findall(r"\w+", written.split("*")[0])
    if is_pointer != (parameter.kind is Kind.TENSOR) or (
        is_constant and parameter.access is not Access.INPUT
    ):
        return True
    types = TYPES.intersection(re.findall(r"\w+", written))
    return bool(types) and not types & set(re.findall(r"\w+", parameter.c_type(precision)))


def accepted_counts(operator: Operator) -> range:
    """How many parameters an entry may have."""
    optional = 0
    for parameter in reversed(operator.signature):
        if parameter.default is None:
            break
        optional += 1
    most = len(operator.signature)
    return range(most - optional, most + 2)


def parameters_of(source: str, name: str) -> list[str] | None:
    """Parameters of the first definition of `name` in `source`, read roughly; None where there is none."""
    text = blanked(source)
    for match in re.finditer(rf"(?<![\w.>:~]){re.escape(name)}\s*\(", text):
        parameters = until_closed(text, match.end())
        if BODY.match(text, match.end() + len(parameters) + 1):
            return _split(parameters)
    return None


def until_closed(text: str, start: int) -> str:
    """What stands between the bracket opened just before `start` and the one that closes it."""
    depth = 1
    for position in range(start, min(len(text), start + MOST_CHARACTERS)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return text[start:position]
    return text[start : start + MOST_CHARACTERS]


def _split(parameters: str) -> list[str]:
    """What commas outside of brackets part, each with its white space folded; [] for an empty list."""
    if parameters.strip() in ("", "void"):
        return []
    depth, parts = 0, [""]
    for character in parameters:
        depth += (character in OPENING) - (character in CLOSING)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [" ".join(part.split()) for part in parts]
