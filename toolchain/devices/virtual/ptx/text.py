"""PTX as text: comments taken away, places counted, and the error that names a line."""

import re

_COMMENT_OR_STRING = re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


class PtxError(Exception):
    """Text that is not PTX, or PTX newer than this parser; `line` is the 1-based line of the PTX text."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(f"{message} (PTX line {line})")
        self.message = message
        self.line = line


def without_comments(text: str) -> str:
    """`text` with comments blanked; strings stay, and every line keeps its number."""
    return _COMMENT_OR_STRING.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    found = match.group()
    if found[0] == '"':
        return found
    return "\n" * found.count("\n") or " "


def error_at(text: str, position: int, message: str) -> PtxError:
    """The error for the place `position` characters into `text`."""
    return PtxError(message, text.count("\n", 0, position) + 1)


def first_line(text: str, position: int) -> str:
    """The line at `position`, shortened for a message."""
    return text[position:].lstrip().split("\n", 1)[0].strip()[:60]
