"""Readable names of kernels: `cu++filt` or `c++filt` where there is one, else the plain identifier."""

import re
import shutil
import subprocess
from functools import lru_cache

_FILTERS = ("cu++filt", "c++filt")
_SECONDS = 5.0
_NESTED = re.compile(r"_ZN?K?(?=\d)")
_PIECE = re.compile(r"(\d+)")


@lru_cache(maxsize=4096)
def demangle(name: str) -> str:
    """`softmax(float const*, int)` of `_Z7softmaxPKfi`; the name itself where it is not mangled."""
    if not name.startswith("_Z"):
        return name
    program = next((path for path in map(shutil.which, _FILTERS) if path), None)
    return (_filtered(program, name) if program else None) or identifier(name)


def _filtered(program: str, name: str) -> str | None:
    try:
        done = subprocess.run([program, name], capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = done.stdout.strip()
    return text if done.returncode == 0 and text and text != name else None


def identifier(name: str) -> str:
    """`space::softmax` of an Itanium-mangled name, without parameters."""
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
