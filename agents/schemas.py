"""JSON schemas in the form that providers hold a model to: every field is required, and no other is allowed.

That form has no objects of free names; numbers by name are a list of pairs.
"""

from collections.abc import Iterable
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NOTHING: Schema = {"type": "null"}


def record(**fields: Schema) -> Schema:
    """An object of exactly these fields."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def list_of(items: Schema) -> Schema:
    """Any number of these."""
    return {"type": "array", "items": items}


def one_of(choices: Iterable[str]) -> Schema:
    """One of these words."""
    return {"type": "string", "enum": list(choices)}


def maybe(wanted: Schema) -> Schema:
    """This, or null."""
    return {"anyOf": [wanted, NOTHING]}


def numbers(kind: str) -> Schema:
    """Numbers by name; `kind` is `integer` or `number`."""
    return list_of(record(name=TEXT, value={"type": kind}))
