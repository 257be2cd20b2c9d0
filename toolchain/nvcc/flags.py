"""The compiler flags a candidate may ask for in its first lines, and the command line they end up in.

A line such as `// nvcc: --maxrregcount=64` asks. The register limit is allowed, which changes how fast a
kernel is and never what it computes, and what lets more C++ compile. Flags that change the arithmetic
(`--use_fast_math`, `--ftz`, `--fmad`) would let a candidate trade precision without saying so in its source,
and flags with paths or commands reach past the source.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from cudamaster.toolchain.nvcc.finder import Toolchain

REQUEST_LINES = 10
"""Requests further down than this are comments like any other."""
REGISTERS = range(16, 256)
REQUEST = re.compile(r"^\s*//\s*nvcc:(.*)$")
REGISTER_LIMIT = re.compile(r"--?maxrregcount=(\d+)")
LANGUAGE = {
    "extended-lambda": "--extended-lambda",
    "expt-extended-lambda": "--extended-lambda",
    "expt-relaxed-constexpr": "--expt-relaxed-constexpr",
}
"""Flags that let more C++ compile, by their spellings without dashes."""


class ForbiddenFlag(ValueError):
    """A candidate asked for a flag outside the allow-list; `line` is 1-based."""

    def __init__(self, flag: str, line: int) -> None:
        super().__init__(
            f"the flag {flag!r} is not allowed: only --maxrregcount=N with N from {REGISTERS.start} "
            f"to {REGISTERS.stop - 1}, --extended-lambda and --expt-relaxed-constexpr may be asked for"
        )
        self.line = line


def requested_flags(text: str) -> tuple[str, ...]:
    """The allowed flags that `text` asks for. Raises ForbiddenFlag for any other."""
    flags: list[str] = []
    for number, line in enumerate(text.splitlines()[:REQUEST_LINES], start=1):
        if request := REQUEST.match(line):
            flags += [_allowed(flag, number) for flag in request[1].split()]
    return tuple(dict.fromkeys(flags))


def _allowed(flag: str, line: int) -> str:
    if flag.startswith("-") and (known := LANGUAGE.get(flag.removeprefix("-").removeprefix("-"))):
        return known
    limit = REGISTER_LIMIT.fullmatch(flag)
    if limit is None or int(limit[1]) not in REGISTERS:
        raise ForbiddenFlag(flag, line)
    return f"--maxrregcount={int(limit[1])}"


def compile_command(
    toolchain: Toolchain, architecture: str, flags: Sequence[str], source: Path, links: Sequence[str] = ()
) -> list[str]:
    """The one nvcc call that makes `kernel.so`, and beside it `<stem>.ptx`, `<stem>.o` and ptxas's report.

    The library holds PTX for the virtual GPU and machine code for the real one; it exports what the file
    `exports` lists, and is linked as `links` says. Paths are relative to the folder it runs in.
    """
    virtual = architecture.replace("sm_", "compute_")
    return [
        str(toolchain.nvcc), str(source), "-o", "kernel.so", "--keep", "-ccbin", str(toolchain.host_compiler),
        "-std=c++17", "-O3", "-lineinfo", "-gencode", f"arch={virtual},code=[{virtual},{architecture}]",
        "--no-compress", "-Xptxas", "-v", "-shared", "-Xcompiler", "-fPIC", "--cudart", "none",
        "-Xlinker", "-z,now,-z,relro,--version-script=exports", *flags, *links,
    ]  # fmt: skip
