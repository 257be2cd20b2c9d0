"""Readable names of kernels, read off the mangled ones: a worker may start no program that does it."""

import re

_NESTED = re.compile(r"_ZN?K?(?=\d)")
_PIECE = re.compile(r"(\d+)")


def identifier(name: str) -> str:
    """`space::softmax` of an Itanium-mangled name, without parameters; another name as it is."""
    match = _NESTED.match(name)
    if match is None:
        return name
    pieces, at = [], match.end()
    while length := _PIECE.match(name, at):
        at = length.end() + int(length[1])
        pieces.append(name[length.end() : at])
        if not match.group().startswith("_ZN"):
            break
    return "::".join(piece for piece in pieces if not piece.startswith("_GLOBAL__N"))
