"""What is noted of a compiled candidate without being held against it: each has honest uses.

State that outlives a call makes the referee look twice; the rest is evidence for whoever reads an audit.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from mskernelbench.guards.cub import HEADER
from mskernelbench.guards.evidence import ObjectEvidence
from mskernelbench.operator import Precision

MOST_NAMED = 5
FROM_THE_COMPILER = re.compile(
    r"_ZL\d+__(?:fatDeviceText|cudaFatCubinHandle)|DW\.ref\.\w+|.*__device_stub__.*|_ZStL8__ioinit"
)
"""Writable symbols that nvcc puts into every object."""
TAG = re.compile(r"_ZN(?:4cuda|6thrust|3cub)\w+")
"""Of CUDA's own headers, objects that hold nothing; they take a byte."""
VARIABLE = re.compile(
    r"^(?:\.(?:visible|weak|extern) +)*\.(global|const) [^\n]*?\.\w+ (\$?[\w$]+)(?:\[|;| =)", re.MULTILINE
)
"""Space and name; names that begin with a dollar are nvcc's, of the text of printf."""
SYMBOL_WRITERS = frozenset({"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync", "cudaGetSymbolAddress"})
SIMPLE_NAME = re.compile(r"_ZL(\d+)(\w+)")
HALF = r"(?:f16|bf16)(?:x2)?"
INSTRUCTIONS = {
    "reduced_precision": (
        rf"cvt[\w.:]*\.(?:f16|bf16|tf32|e4m3|e5m2)(?:x2)?\.f32|(?:add|sub|mul|fma)[\w.:]*\.{HALF}"
        r"|w?g?mma[\w.:]*\.(?:tf32|f16|bf16|e4m3|e5m2|s8|u8)[\w.:]*"
    ),
    "cache_policy": (r"(?:createpolicy|prefetchu?|applypriority|discard)[\w.:]*|\w[\w.:]*evict_last[\w.:]*"),
    "clocks": r"%(?:clock(?:64|_hi)?|globaltimer(?:_lo|_hi)?)\b",
    "atomics": r"(?:atom|red)\.[\w.:]+",
    "waits": r"nanosleep[\w.]*",
}
"""What PTX shows of each, whatever the source looks like."""
STATE = frozenset({"host_state", "device_state", "constructors"})
"""Findings of what outlives a call."""
WORDS = {
    "reduced_precision": "arithmetic or conversions below FP32 in an FP32 operator",
    "cache_policy": "instructions that keep or fetch lines of the L2 cache",
    "clocks": "reads of the device's clocks",
    "atomics": "atomic operations on memory",
    "waits": "instructions that sleep",
}
_CENSUS = re.compile(
    r"(?<![\w$%.])(?:" + "|".join(f"(?P<{name}>{found})" for name, found in INSTRUCTIONS.items()) + ")"
)
_SHARED_BY_BLOCKS = re.compile(r"(?<![\w$%.])(?:atom|red)\.(?![\w.:]*shared)[\w.:]+")
"""Atomic operations on device memory."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of thing that was found."""

    name: str
    """`host_state`, `device_state`, `constructors`, or a key of INSTRUCTIONS."""
    evidence: str
    """In one sentence."""


def findings(evidence: ObjectEvidence) -> tuple[Finding, ...]:
    """Everything of note, state first."""
    return (*_state(evidence), *_census(evidence))


def keeps_state(evidence: ObjectEvidence) -> bool:
    """Whether one call could leave something to the next."""
    return any(_state(evidence))


def tells_blocks(evidence: ObjectEvidence) -> bool:
    """Whether a block could tell, by tickets or marks, which others of its launch have run."""
    kept = any(found.name == "device_state" for found in _state(evidence))
    return kept or _SHARED_BY_BLOCKS.search(evidence.ptx) is not None


def _state(evidence: ObjectEvidence) -> Iterator[Finding]:
    device = {name: space for space, name in VARIABLE.findall(evidence.ptx) if not name.startswith("$")}
    writable = evidence.symbols.writable
    tags = {name for name, nbytes in writable.items() if nbytes <= 1 and TAG.fullmatch(name)}
    host = sorted(name for name in writable.keys() - tags if not _is_expected(name, device))
    spaces = ("global", "const") if evidence.symbols.undefined & SYMBOL_WRITERS else ("global",)
    written = sorted(n for n, space in device.items() if space in spaces and _is_used(n, evidence.ptx))
    if host:
        yield Finding("host_state", f"host variables that outlive a call: {_listed(host)}")
    if written:
        yield Finding("device_state", f"variables of the device that kernels use: {_listed(written)}")
    if evidence.symbols.constructors > 1 and not HEADER.search(evidence.source):
        count = evidence.symbols.constructors
        yield Finding(
            "constructors", f"{count} functions that run when the library is loaded, nvcc's own included"
        )


def _is_expected(name: str, device: Collection[str]) -> bool:
    """Whether nvcc made the symbol, or it stands for a variable of the device."""
    simple = SIMPLE_NAME.fullmatch(name)
    stands_for = simple[2] if simple and len(simple[2]) == int(simple[1]) else name
    return stands_for in device or bool(FROM_THE_COMPILER.fullmatch(name))


def _is_used(name: str, ptx: str) -> bool:
    """Whether the name stands anywhere but where it is declared."""
    return ptx.find(name, ptx.find(name) + 1) >= 0


def _census(evidence: ObjectEvidence) -> Iterator[Finding]:
    seen: dict[str, dict[str, int]] = {name: {} for name in INSTRUCTIONS}
    for match in _CENSUS.finditer(evidence.ptx):
        counts = seen[str(match.lastgroup)]
        counts[match[0]] = counts.get(match[0], 0) + 1
    for name, counts in seen.items():
        if counts and (name != "reduced_precision" or evidence.precision is Precision.FP32):
            yield Finding(name, f"{WORDS[name]}: {_listed([f'{n} {word}' for word, n in counts.items()])}")


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
