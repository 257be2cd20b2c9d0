"""Holds a JSON value against a JSON schema, as far as the schemas of `schemas/` go, and no further."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from cudamaster.report import schemas

KINDS: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}
WORDS = frozenset(
    {
        *("$schema", "title", "type", "const", "enum", "minimum"),
        *("required", "properties", "additionalProperties", "items", "minItems"),
    }
)
"""Keywords that are understood; a schema with another would be held to less than it says."""


@cache
def schema_of(name: str) -> Mapping[str, Any]:
    """The schema of this name. Raises FileNotFoundError."""
    text = resources.files(schemas).joinpath(f"{name}.json").read_text(encoding="utf-8")
    schema: Mapping[str, Any] = json.loads(text)
    return schema


def faults(value: Any, schema: Mapping[str, Any], at: str = "it") -> Iterator[str]:
    """What is wrong with `value`, as sentences. Raises ValueError for a keyword that is not understood."""
    if strange := schema.keys() - WORDS:
        raise ValueError(f"the schema at {at} says {', '.join(sorted(strange))}, which nothing here checks")
    if "type" in schema and not _is(value, schema["type"]):
        yield f"{at} is no {schema['type']}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{at} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at} is none of {', '.join(map(str, schema['enum']))}"
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{at} is below {schema['minimum']}"
    if isinstance(value, dict):
        yield from _of_object(value, schema, at)
    if isinstance(value, list):
        yield from _of_array(value, schema, at)


def _is(value: Any, kind: str) -> bool:
    """Whether `value` is of this kind; true and false are no numbers."""
    return isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _of_object(value: dict[str, Any], schema: Mapping[str, Any], at: str) -> Iterator[str]:
    properties = schema.get("properties", {})
    yield from (f"{at} lacks {name}" for name in schema.get("required", ()) if name not in value)
    if schema.get("additionalProperties") is False:
        yield from (f"{at} has {name}, which is unknown" for name in value.keys() - properties.keys())
    for name in properties.keys() & value.keys():
        yield from faults(value[name], properties[name], f"{at}.{name}")


def _of_array(value: list[Any], schema: Mapping[str, Any], at: str) -> Iterator[str]:
    if len(value) < schema.get("minItems", 0):
        yield f"{at} has {len(value)} items, fewer than {schema['minItems']}"
    for number, item in enumerate(value):
        yield from faults(item, schema.get("items", {}), f"{at}[{number}]")
