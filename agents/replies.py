"""Reads what a model wrote: fenced blocks, JSON, and the fields a role was asked for. Nothing is guessed."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cudamaster.agents.errors import BadReply

OPENING = re.compile(r"```[ \t]*(?P<language>[\w+#-]*)")
CLOSING = re.compile(r"```[ \t]*")
SEARCH, MIDDLE, REPLACE = (
    re.compile(r"<{5,} ?SEARCH"),
    re.compile(r"={5,}[ \t]*"),
    re.compile(r">{5,} ?REPLACE"),
)
CUDA_LANGUAGES = ("cuda", "cu", "cpp", "c++", "c", "")
LONGEST_SOURCE = 120_000
"""Characters. A longer one could not be shown again within a prompt (`shortening.LIMIT_TOKENS`)."""
LONGEST_TEXT = 4_000
"""Characters of a sentence that was asked for."""
LARGEST = 1e18
"""Of numbers; JSON has some that no metric and no parameter could be, such as NaN."""
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]")
"""What no source and no sentence has: byte order marks, and control characters, which a terminal obeys."""


def legible(text: str) -> str:
    """`text` with plain ends of lines, and without what cannot be seen or written in UTF-8."""
    plain = UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return plain.encode(errors="replace").decode()


class Block(NamedTuple):
    """What stands between two lines of a reply."""

    language: str
    """Of a fenced block; else empty."""
    text: str
    """Whole lines."""


def fenced_blocks(reply: str) -> list[Block]:
    """The fenced blocks of a reply; one that never closes is none."""
    blocks, opened, lines = list[Block](), None, list[str]()
    for line in reply.split("\n"):
        if opened is None:
            opened, lines = OPENING.match(line), []
        elif CLOSING.fullmatch(line):
            blocks.append(Block(opened["language"].lower(), "".join(lines)))
            opened = None
        else:
            lines.append(f"{line}\n")
    return blocks


def edits_of(reply: str) -> list[tuple[str, str]]:
    """Old and new text of each whole edit of a reply."""
    edits, old, new = list[tuple[str, str]](), None, None
    for line in reply.split("\n"):
        if SEARCH.match(line):
            old, new = "", None
        elif old is not None and new is None and MIDDLE.fullmatch(line):
            new = ""
        elif old is not None and new is not None and REPLACE.match(line):
            edits.append((old, new))
            old = new = None
        elif new is not None:
            new += f"{line}\n"
        elif old is not None:
            old += f"{line}\n"
    return edits


def json_block(reply: str) -> dict[str, Any]:
    """The object in the reply's only ```json block, or in the bare reply. Raises BadReply."""
    if not reply.strip():
        raise BadReply("the reply is empty")
    blocks = [block.text for block in fenced_blocks(reply) if block.language == "json"]
    if len(blocks) > 1:
        raise BadReply(f"the reply has {len(blocks)} ```json blocks where one was asked for")
    try:
        value = json.loads(blocks[0] if blocks else reply)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a plain ValueError
        raise BadReply(f"the reply's JSON is not valid: {error}") from error
    if not isinstance(value, dict):
        raise BadReply("the reply's JSON is not an object")
    return value


def cuda_block(reply: str) -> str:
    """The source in the reply's only CUDA block, ending in a newline. Raises BadReply."""
    blocks = [block.text for block in fenced_blocks(reply) if block.language in CUDA_LANGUAGES]
    if len(blocks) != 1:
        raise BadReply(f"the reply has {len(blocks)} ```cuda blocks where exactly one was asked for")
    source = blocks[0].strip() + "\n"
    if 'extern "C"' not in source:
        raise BadReply('the source defines no extern "C" entry; the complete file was asked for')
    if len(source) > LONGEST_SOURCE:
        raise BadReply(
            f"the source has {len(source)} characters; at most {LONGEST_SOURCE} can be worked with"
        )
    return source


def source_from(reply: str, base: str) -> str:
    """The source in a reply: its only CUDA block, or `base` after the reply's edits. Raises BadReply."""
    edits = edits_of(reply)
    return edited(base, edits) if edits else cuda_block(reply)


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
    text = legible(value).strip() if isinstance(value, str) else ""  # JSON escapes may hide anything
    if not text:
        raise BadReply(f"'{name}' is missing or empty")
    if len(text) > LONGEST_TEXT:
        raise BadReply(f"'{name}' has {len(text)} characters; one sentence was asked for")
    return text


def choice_field(data: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str:
    """One of `choices`. Raises BadReply."""
    value = text_field(data, name)
    if value not in choices:
        raise BadReply(f"'{name}' is '{value}'; it must be one of {', '.join(choices)}")
    return value


def number_fields(data: Mapping[str, Any], name: str) -> dict[str, float]:
    """Numbers by name: a list of pairs or an object, empty where it is absent or null. Raises BadReply."""
    value = data.get(name)
    value = {} if value is None else _by_name(value, name) if isinstance(value, list) else value
    if not isinstance(value, dict):
        raise BadReply(f"'{name}' is not an object of numbers")
    for key, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) <= LARGEST:
            raise BadReply(f"'{name}.{key}' is not a number")
    return {legible(key): number for key, number in value.items()}


def _by_name(pairs: Sequence[Any], name: str) -> dict[str, Any]:
    """The object that a list of `{"name": …, "value": …}` stands for. Raises BadReply."""
    for pair in pairs:
        if not isinstance(pair, dict) or not isinstance(pair.get("name"), str) or "value" not in pair:
            raise BadReply(f"'{name}' has an item that is not a name and a value")
    return {pair["name"]: pair["value"] for pair in pairs}
