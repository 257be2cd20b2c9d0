"""Refuses sources that would make the compiler read files of this machine, before the compiler runs.

A first line of defence for the compile alone, and all there is where the kernel cannot confine the compiler;
what a candidate may do when it runs is judged elsewhere. Comments are looked at too, and again left out.
"""

import re

from cudamaster.toolchain.build import Diagnostic
from cudamaster.toolchain.kernel import KernelSource

MAX_SOURCE_BYTES = 1_000_000
DIRECTIVE = r"^[ \t\f\v]*(?:#|%:|\?\?=)[ \t\f\v]*"
INCLUDE_OUTSIDE = re.compile(
    DIRECTIVE + r'(?:include|include_next|import)[ \t]*["<](?:/|[^">\n]*\.\.)', re.MULTILINE
)
COMPUTED_INCLUDE = re.compile(DIRECTIVE + r'(?:include|include_next|import)\b[ \t]*(?![ \t"<])', re.MULTILINE)
EMBED = re.compile(DIRECTIVE + r"embed\b", re.MULTILINE)
PROBE = re.compile(r'\b__has_(?:include|include_next|embed)\s*\((?!\s*["<](?!/)(?![^">\n]*\.\.))')
DEPENDENCY = re.compile(r"\bpragma\s+GCC\s+dependency\b|\b_Pragma\b.*\bdependency\b")
ASSEMBLER_INCLUDE = re.compile(r"\bincbin\b|\.include\s*\\*\"")
ASSEMBLER_MACRO = re.compile(r"(?:[\"(;\s]|\\[nt])\.(?:macro|irpc?|altmacro)\b")
ESCAPE_BY_NUMBER = re.compile(r"\b(?:__)?asm(?:__)?\b[^;]*\\(?:[xuU][0-9a-fA-F{]|[0-7]{2})")
LINE_OF_A_FILE = re.compile(DIRECTIVE + r"(?:line\b[^\n\"]*|[0-9]+[ \t]*)\"", re.MULTILINE)
SPLICE = re.compile(r"(?:\\|\?\?/)[ \t\f\v]*\r?\n")
"""A line that goes on in the next; `??/` was a backslash before C++17."""
COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
RULES = (
    (INCLUDE_OUTSIDE, "includes may name headers of the toolkit and the host compiler only, not paths"),
    (COMPUTED_INCLUDE, "an include must name its header literally"),
    (EMBED, "#embed is not allowed"),
    (PROBE, "__has_include may name headers literally, and not paths"),
    (DEPENDENCY, "a dependency pragma is not allowed"),
    (ASSEMBLER_INCLUDE, "assembler file inclusion is not allowed"),
    (ASSEMBLER_MACRO, "assembler macros are not allowed"),
    (ESCAPE_BY_NUMBER, "assembler text may not be written as numbers"),
    (LINE_OF_A_FILE, "#line may not name a file"),
)


def source_gate(source: KernelSource) -> Diagnostic | None:
    """Why `source` is not handed to the compiler, or None."""
    if len(source.text.encode(errors="replace")) > MAX_SOURCE_BYTES:
        return Diagnostic(
            "error", f"the source is larger than {MAX_SOURCE_BYTES} bytes", None, source.filename
        )
    spliced = SPLICE.sub("", source.text)
    bare = COMMENT.sub(_without_comment, spliced)
    joined = re.sub(r'"\s*"', "", bare)
    for rule, message in RULES:
        if any(rule.search(text) for text in (spliced, bare, joined)):
            return Diagnostic("error", message, _line(rule, source.text), source.filename)
    return None


def _without_comment(match: re.Match[str]) -> str:
    return match.group() if match.group()[0] in "\"'" else " "


def _line(rule: re.Pattern[str], text: str) -> int | None:
    found = rule.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else None
