"""Refuses sources that would make the compiler read files of this machine, before the compiler runs.

A first line of defence for the compile alone; what a candidate may do when it runs is judged elsewhere.
"""

import re

from cudamaster.toolchain.build import Diagnostic
from cudamaster.toolchain.kernel import KernelSource

MAX_SOURCE_BYTES = 1_000_000
DIRECTIVE = r"^[ \t]*(?:#|%:|\?\?=)[ \t]*"
INCLUDE_OUTSIDE = re.compile(
    DIRECTIVE + r'(?:include|include_next|import)[ \t]*["<](?:/|[^">\n]*\.\.)', re.MULTILINE
)
COMPUTED_INCLUDE = re.compile(DIRECTIVE + r'(?:include|include_next|import)\b[ \t]*(?![ \t"<])', re.MULTILINE)
EMBED = re.compile(DIRECTIVE + r"embed\b", re.MULTILINE)
PROBE = re.compile(r'\b__has_(?:include|include_next|embed)\s*\(\s*["<](?:/|[^">\n]*\.\.)')
ASSEMBLER_INCLUDE = re.compile(r'\.incbin\b|\.include\s*\\"|\.inc"\s*"')
RULES = (
    (INCLUDE_OUTSIDE, "includes may name headers of the toolkit and the host compiler only, not paths"),
    (COMPUTED_INCLUDE, "an include must name its header literally"),
    (EMBED, "#embed is not allowed"),
    (PROBE, "__has_include may not probe paths"),
    (ASSEMBLER_INCLUDE, "assembler file inclusion is not allowed"),
)


def source_gate(source: KernelSource) -> Diagnostic | None:
    """Why `source` is not handed to the compiler, or None."""
    if len(source.text.encode(errors="replace")) > MAX_SOURCE_BYTES:
        return Diagnostic(
            "error", f"the source is larger than {MAX_SOURCE_BYTES} bytes", None, source.filename
        )
    spliced = re.sub(r"\\[ \t]*\n", "", source.text)
    for rule, message in RULES:
        if rule.search(spliced):
            return Diagnostic("error", message, _line(rule, source.text), source.filename)
    return None


def _line(rule: re.Pattern[str], text: str) -> int | None:
    found = rule.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else None
