"""Reads what a model wrote: fenced blocks, JSON, and the fields a role was asked for. Nothing is guessed."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from cudamaster.agents.errors import BadReply

FENCE = re.compile(
    r"^```[ \t]*(?P<language>[\w+#-]*)[^\n]*\n(?P<text>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL
)
EDIT = re.compile(
    r"^<{5,} ?SEARCH[^\n]*\n(?P<old>.*?)^={5,}[ \t]*\n(?P<new>.*?)^>{5,} ?REPLACE[^\n]*$",
    re.MULTILINE | re.DOTALL,
)
CUDA_LANGUAGES = ("cuda", "cu", "cpp", "c++", "c", "")


def json_block(reply: str) -> dict[str, Any]:
    """The object in the reply's only ```json block, or in the bare reply. Raises BadReply."""
    blocks = [m["text"] for m in FENCE.finditer(reply) if m["language"].lower() == "json"]
    if len(blocks) > 1:
        raise BadReply(f"the reply has {len(blocks)} ```json blocks where one was asked for")
    try:
        value = json.loads(blocks[0] if blocks else reply)
    except json.JSONDecodeError as error:
        raise BadReply(f"the reply's JSON is not valid: {error}") from error
    if not isinstance(value, dict):
        raise BadReply("the reply's JSON is not an object")
    return value


def cuda_block(reply: str) -> str:
    """The source in the reply's only CUDA block, ending in a newline. Raises BadReply."""
    blocks = [m["text"] for m in FENCE.finditer(reply) if m["language"].lower() in CUDA_LANGUAGES]
    if len(blocks) != 1:
        raise BadReply(f"the reply has {len(blocks)} ```cuda blocks where exactly one was asked for")
    source = blocks[0].strip() + "\n"
    if 'extern "C"' not in source:
        raise BadReply('the source defines no extern "C" entry; the complete file was asked for')
    return source


def source_from(reply: str, base: str) -> str:
    """The source in a reply: its only CUDA block, or `base` after the reply's edits. Raises BadReply."""
    edits = list(EDIT.finditer(reply))
    return edited(base, [(edit["old"], edit["new"]) for edit in edits]) if edits else cuda_block(reply)


def edited(base: str, edits: Sequence[tuple[str, str]]) -> str:
    """`base` with each old text, which must stand in it exactly once, replaced in turn. Raises BadReply."""
    for number, (old, new) in enumerate(edits, 1):
        found = base.count(old) if old.strip() else 0
        if found != 1:
            places = "nowhere" if not found else f"{found} times"
            raise BadReply(
                f"the SEARCH text of edit {number} stands {places} in the file; it must stand there once"
            )
        base = base.replace(old, new)
    return base


def text_field(data: Mapping[str, Any], name: str) -> str:
    """A non-empty text. Raises BadReply."""
    value = data.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadReply(f"'{name}' is missing or empty")
    return value.strip()


def choice_field(data: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str:
    """One of `choices`. Raises BadReply."""
    value = text_field(data, name)
    if value not in choices:
        raise BadReply(f"'{name}' is '{value}'; it must be one of {', '.join(choices)}")
    return value


def number_fields(data: Mapping[str, Any], name: str) -> dict[str, float]:
    """An object of numbers; empty where it is absent. Raises BadReply."""
    value = data.get(name, {})
    if not isinstance(value, dict):
        raise BadReply(f"'{name}' is not an object of numbers")
    for key, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise BadReply(f"'{name}.{key}' is not a number")
    return {str(key): number for key, number in value.items()}
