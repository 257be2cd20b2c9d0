"""The machine code (SASS) in a build's library: taken out, disassembled, and counted by kind of instruction.

The disassembler is optional: `nvidia-cuda-nvdisasm` (the extra `sass`), or the CUDA toolkit's.
"""

import re
import shutil
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.nvcc.finder import Toolchain
from cudamaster.toolchain.process import MIB, ProcessLimits, run_bounded
from cudamaster.toolchain.profile import Profile

LIMITS = ProcessLimits(seconds=20.0, memory_bytes=2 << 30, output_bytes=32 * MIB)
NVDISASM = "nvdisasm"
_FATBIN = struct.pack("<I", 0xBA55ED50)
_HEAD, _ENTRY = struct.Struct("<IHHQ"), struct.Struct("<HHIQ")
_MACHINE_CODE = 2
"""Kind of a fatbin entry that holds an ELF file."""
_SECTION = re.compile(r"^\.text\.([\w$.]+):$")
_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:\{\s*)?(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*)")

_PADDING = "NOP"
_KINDS: tuple[tuple[str, str], ...] = (
    ("fp32", r"FADD|FMUL|FFMA|FADD2|FFMA2|FSWZADD"),
    ("fp64", r"D(ADD|MUL|FMA|SETP)"),
    ("half", r"H(ADD2|MUL2|FMA2|SETP2|SET2|MNMX2)|HADD2_32"),
    ("tensor", r"[HIDQB]G?MMA|.*GMMA"),
    ("special", r"MUFU|[FI]2[FI]P?|F2FP|I2FP|FRND|POPC|FLO|BREV|UFLO|UPOPC|UBREV"),
    ("global", r"LD|ST|LDG|STG|ATOM|ATOMG|RED|REDG|LDGSTS|LDGDEPBAR|CCTL|UBLKCP|UTMA\w+"),
    ("shared", r"LDS|STS|LDSM|STSM|ATOMS|LDS[A-Z]?|SYNCS"),
    ("local", r"LDL|STL"),
    ("exchange", r"SHFL|VOTE|VOTEU|MATCH|REDUX|CREDUX|MOVM"),
    ("control", r"BRA|BRX|JMP|JMX|EXIT|RET|CALL|BSSY|BSYNC|BREAK|BAR|WARPSYNC|YIELD|NANOSLEEP|DEPBAR|MEMBAR"
                r"|ERRBAR|BPT|KILL|WARPGROUP|ARRIVES|ELECT|ACQBULK|UCGABAR\w*|CGAERRBAR|ENDCOLLECTIVE|FENCE"),
    ("constant", r"LDC|LDCU|ULDC"),
)  # fmt: skip
"""(kind, pattern of opcodes without modifiers); everything else works on integers, predicates or moves."""


def machine_mixes(build: Build, toolchain: Toolchain) -> Mapping[str, Mapping[str, float]] | None:
    """For each kernel (mangled) the share of its machine instructions by kind, the commonest first.

    They are counted once each, however often they run. None where there is no disassembler or no machine
    code.
    """
    program = find_disassembler(toolchain)
    if program is None or build.library is None:
        return None
    return _mixes(program, build.library)


def with_machine_mixes(profile: Profile, build: Build, toolchain: Toolchain) -> Profile:
    """The profile with each kernel's machine code counted, where that is possible."""
    mixes = machine_mixes(build, toolchain) or {}
    kernels = (replace(kernel, machine_mix=mixes.get(kernel.symbol, {})) for kernel in profile.kernels)
    return replace(profile, kernels=tuple(kernels))


def find_disassembler(toolchain: Toolchain) -> Path | None:
    """`nvdisasm` of the wheel, beside nvcc, or on PATH."""
    wheels = (Path(place) / "nvidia" / "cu13" / "bin" for place in sys.path if place)
    for folder in (*wheels, toolchain.nvcc.parent):
        if (folder / NVDISASM).is_file():
            return folder / NVDISASM
    found = shutil.which(NVDISASM)
    return Path(found) if found else None


@lru_cache(maxsize=64)
def _mixes(program: Path, library: Path) -> Mapping[str, Mapping[str, float]] | None:
    code = next(machine_codes(library.read_bytes()), None)
    if code is None:
        return None
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "kernel.cubin").write_bytes(code)
        command = [str(program), "-c", "kernel.cubin"]
        result = run_bounded(command, folder=folder, environment={"LC_ALL": "C"}, limits=LIMITS)
    return count_kinds(result.output) if result.ok else None


def machine_codes(data: bytes) -> Iterator[bytes]:
    """The ELF files in a library's fatbins."""
    for found in re.finditer(re.escape(_FATBIN), data):
        start = found.start()
        _, _, head, size = _HEAD.unpack_from(data, start)
        at, end = start + head, min(start + head + size, len(data))
        while at + _ENTRY.size <= end:
            kind, _, entry_head, entry_size = _ENTRY.unpack_from(data, at)
            if kind == _MACHINE_CODE:
                yield data[at + entry_head : at + entry_head + entry_size]
            at += max(_ENTRY.size, entry_head + entry_size)


def count_kinds(text: str) -> Mapping[str, Mapping[str, float]]:
    """Shares by kind of each kernel in a disassembly."""
    counts: dict[str, Counter[str]] = {}
    current: Counter[str] = Counter()
    for line in text.splitlines():
        if section := _SECTION.match(line):
            current = counts.setdefault(section[1], Counter())
        elif (instruction := _INSTRUCTION.match(line)) and instruction[1] != _PADDING:
            current[kind_of(instruction[1])] += 1
    return {name: _shares(found) for name, found in counts.items()}


@lru_cache(maxsize=1024)
def kind_of(opcode: str) -> str:
    """Kind of a machine instruction, by its opcode without modifiers."""
    return next((kind for kind, pattern in _KINDS if re.fullmatch(pattern, opcode)), "integer")


def _shares(found: Counter[str]) -> dict[str, float]:
    return {kind: count / found.total() for kind, count in found.most_common()}
