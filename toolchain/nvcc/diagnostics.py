"""Reads what nvcc's programs print: messages placed in the candidate's source."""

import re
from collections.abc import Iterator

from cudamaster.toolchain.build import Diagnostic
from cudamaster.toolchain.nvcc.flags import REQUEST_LINES

MOST = 50
"""Messages kept of one compile."""
SEVERITY = r"(?P<severity>internal compiler error|catastrophic error|fatal error|error|fatal|warning)"
FRONT_END = re.compile(
    r"^(?P<file>[^\s(][^(]*)\((?P<line>\d+)\): " + SEVERITY + r"(?: #\S+)?: (?P<words>.+)$"
)
HOST_COMPILER = re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+):(?:\d+:)? " + SEVERITY + r": (?P<words>.+)$")
ASSEMBLER = re.compile(r"^ptxas (?P<file>[^,]+), line (?P<line>\d+); " + SEVERITY + r"\s*: (?P<words>.+)$")
TOOL = re.compile(
    r"^(?:ptxas|nvcc|cicc|nvlink|cudafe\+\+|(?:cc1plus|collect2|\S*g\+\+\S*):)\s+"
    + SEVERITY
    + r"\s*:\s*(?P<words>.+)$"
)
LINKER = re.compile(r"^(?:\S*/)?ld(?:\.\w+)?: (?P<words>(?!warning).+)$")
REMEDIES = {
    "requires --extended-lambda nvcc flag": (
        f"write '// nvcc: --extended-lambda' in one of the first {REQUEST_LINES} lines"
    ),
}
"""What to do about messages that do not say it, by their words."""
INSTANTIATED = re.compile(r"\bat line (\d+)(?: of (\S+))?")
LOCATION = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)")
FILE = re.compile(r'^[ \t]*\.file\s+(\d+)\s+"([^"]*)"', re.MULTILINE)


def parse_diagnostics(log: str, filename: str, ptx: str = "") -> tuple[Diagnostic, ...]:
    """The messages of `log`, at most 50. One about the generated `ptx` is placed by its `.loc` lines."""
    lines = log.splitlines()
    found = (_diagnostic(lines, index, filename, ptx) for index in range(len(lines)))
    return tuple(dict.fromkeys(d for d in found if d is not None))[:MOST]


def _diagnostic(lines: list[str], index: int, filename: str, ptx: str) -> Diagnostic | None:
    for placed in (FRONT_END, HOST_COMPILER):
        if match := placed.match(lines[index]):
            return _placed(match, lines[index + 1 :], filename)
    if match := ASSEMBLER.match(lines[index]):
        return _message(
            match["severity"], match["words"], source_line(ptx, int(match["line"]), filename), filename
        )
    if match := TOOL.match(lines[index]):
        return _message(match["severity"], match["words"], None, filename)
    if match := LINKER.match(lines[index]):
        return _message("error", match["words"], None, filename)
    return None


def _placed(match: re.Match[str], following: list[str], filename: str) -> Diagnostic:
    """A message in the candidate's file, or in a header where the candidate's file used it."""
    file, line = match["file"].rsplit("/", 1)[-1], int(match["line"])
    if file == filename:
        return _message(match["severity"], match["words"], line, filename)
    words = f"{file}:{line}: {match['words']}"
    return _message(match["severity"], words, next(_uses(following, filename), None), filename)


def _uses(following: list[str], filename: str) -> Iterator[int]:
    """Lines of the candidate's file in the notes under a message about a header."""
    for line in following[:40]:
        if FRONT_END.match(line):
            return
        for number, file in INSTANTIATED.findall(line):
            if file.rsplit("/", 1)[-1] == filename:
                yield int(number)


def _message(severity: str, words: str, line: int | None, filename: str) -> Diagnostic:
    told = words.strip() + next((f": {remedy}" for sign, remedy in REMEDIES.items() if sign in words), "")
    return Diagnostic("warning" if severity == "warning" else "error", told, line, filename)


def source_files(ptx: str, filename: str) -> frozenset[int]:
    """The numbers by which the `.loc` lines of `ptx` mean the file `filename`."""
    found = FILE.finditer(ptx)
    return frozenset(int(m[1]) for m in found if m[2].rsplit("/", 1)[-1] == filename)


def source_line(ptx: str, ptx_line: int, filename: str) -> int | None:
    """The line of `filename` that line `ptx_line` (1-based) of `ptx` was made from: the `.loc` before it."""
    lines = ptx.splitlines()
    ours = source_files(ptx, filename)
    for line in reversed(lines[:ptx_line]):
        if line.startswith("}"):
            return None
        if (location := LOCATION.match(line)) and int(location[1]) in ours:
            return int(location[2])
    return None
