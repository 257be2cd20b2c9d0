"""Compare estimated with real machine code: `python -m benchmarks.rank.sass [--architecture sm_90a]`.

For each kernel of `kernels/`, the instructions that the model takes ptxas to make of the PTX over those in
the disassembly, each basic block once. Loops are kept from being unrolled further, by a pragma before each
block of the PTX: else blocks would stand there several times. What a division does in rare cases is left out.
Wants `nvdisasm` (the extra `sass`).
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.rank.pairs import PAIRS
from cudamaster.toolchain.devices.virtual.cost.lowering import lower
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module
from cudamaster.toolchain.nvcc.compile import compile_kernel
from cudamaster.toolchain.nvcc.finder import find_toolchain
from cudamaster.toolchain.nvcc.machine_code import find_disassembler

_LABEL = re.compile(r"^(\$L__BB\w+:)$", re.MULTILINE)
_KERNEL = re.compile(r"^\.text\.([\w$.]+):$", re.MULTILINE)
_RARE = re.compile(r"^\$[\w$]*slowpath:$.*?(?=^\$|\Z)", re.MULTILINE | re.DOTALL)
_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:\{\s*)?(?:@!?U?P\w+\s+)?([A-Z]\w*)", re.MULTILINE)
_OVERHEAD = frozenset({"add", "setp", "bra"})
"""What the model divides by the copies of a loop that it takes ptxas to unroll."""


def made(disassembly: str) -> dict[str, int]:
    """Instructions of each kernel, by its mangled name, without padding."""
    parts = _KERNEL.split(disassembly)
    bodies = (_RARE.sub("", text) for text in parts[2::2])
    counts = (sum(opcode != "NOP" for opcode in _INSTRUCTION.findall(body)) for body in bodies)
    return dict(zip(parts[1::2], counts, strict=True))


def estimated(kernel: Kernel) -> float:
    """Instructions that the model takes ptxas to make, each basic block once."""
    lowering, total = lower(kernel), 0.0
    for block, copies in zip(kernel.blocks, lowering.copies, strict=True):
        for instruction in block:
            share = lowering.share(instruction)
            is_divided = copies > 1 and share == 1 / copies and instruction.base in _OVERHEAD
            total += lowering.work(instruction).issue * (1.0 if is_divided else share)
    return total


def disassembled(ptx: str, ptxas: Path, disassembler: Path, architecture: str) -> str:
    """What ptxas makes of `ptx` if it unrolls nothing."""
    with tempfile.TemporaryDirectory() as place:
        source, code = Path(place) / "kernel.ptx", Path(place) / "kernel.cubin"
        source.write_text(_LABEL.sub(r'\1\n.pragma "nounroll";', ptx))
        command = [str(ptxas), f"-arch={architecture}", str(source), "-o", str(code)]
        subprocess.run(command, check=True, timeout=60)
        command = [str(disassembler), "-c", str(code)]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def ratios(name: str, text: str, disassembly: str) -> Iterator[tuple[str, float]]:
    """Estimated over real instructions of each kernel."""
    counts = made(disassembly)
    for kernel in parse_module(text).kernels.values():
        if kernel.name in counts:
            yield f"{name} {kernel.name}", estimated(kernel) / counts[kernel.name]


def main(arguments: list[str]) -> int:
    """Exit code 1 where nothing can be compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--architecture", default="sm_90a")
    asked = parser.parse_args(arguments)
    toolchain = find_toolchain()
    disassembler = find_disassembler(toolchain)
    if disassembler is None:
        print("there is no nvdisasm: pip install -e '.[sass]'")
        return 1
    found: dict[str, float] = {}
    for pair in PAIRS:
        build = compile_kernel(pair.source("slow"), asked.architecture, toolchain)
        if build.ptx is None:
            continue
        ptx = build.ptx.read_text()
        code = disassembled(ptx, toolchain.nvcc.parent / "ptxas", disassembler, asked.architecture)
        found.update(ratios(pair.name, ptx, code))
    for name, ratio in sorted(found.items(), key=lambda item: item[1]):
        print(f"{ratio:5.2f}  {name}")
    values = sorted(found.values())
    within = sum(0.8 <= value <= 1.25 for value in values)
    print(
        f"{len(values)} kernels: {values[0]:.2f} to {values[-1]:.2f}, median {median(values):.2f}; "
        f"{within} within a quarter"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
