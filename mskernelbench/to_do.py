"""What a spec that was begun by `cudamaster init-operator` still lacks."""

from typing import NoReturn


class ToDo(Exception):
    """A part of a spec that its author has yet to write; the message says what."""


def to_do(what: str) -> NoReturn:
    """Stand where `what` is to be written. Raises ToDo."""
    raise ToDo(f"still to be written: {what}")
