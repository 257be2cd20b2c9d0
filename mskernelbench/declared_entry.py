"""Reads an entry's arguments from a user's `.cu` file, so that an operator can be begun from it."""

import re
from dataclasses import dataclass, replace

from mskernelbench.entries import blanked, definitions
from mskernelbench.errors import NoEntry
from mskernelbench.operator import Access, Element, Kind, Parameter, Precision
from mskernelbench.signatures import until_closed

C_LINKAGE = re.compile(r'\bextern\s*"C"\s*(?P<block>\{)?')
NAME = re.compile(r"(?<![\w.>:~])(\w+)\s*\(")
WORDS = frozenset({"const", "restrict", "__restrict", "__restrict__", "volatile", "struct"})
BF16 = frozenset({"__nv_bfloat16", "nv_bfloat16"})
INTEGERS = frozenset({"int", "int32_t"})
STREAM = "cudaStream_t"
SUFFIX = "_bf16"
TAKEN = "entries take float*, __nv_bfloat16* and int* pointers, int and float"


@dataclass(frozen=True, slots=True)
class DeclaredEntry:
    """An entry as a file declares it."""

    name: str
    line: int
    """1-based."""
    precision: Precision
    parameters: tuple[Parameter, ...]
    """Without the stream."""

    @property
    def symbol(self) -> str:
        """The operator's spelling: the name, in BF16 without its suffix."""
        return self.name.removesuffix(SUFFIX) if self.precision is Precision.BF16 else self.name


def declared_entry(source: str, file: str, chosen: str | None = None) -> DeclaredEntry:
    """The one `extern "C"` host function of `source`, or the one called `chosen`. Raises NoEntry."""
    text = blanked(source)
    found = {name: line for name, line in _candidates(source, text) if chosen in (None, name)}
    if not found:
        wanted = f"function called {chosen}" if chosen else "function"
        raise NoEntry(
            f'{file} defines no extern "C" host {wanted}: write one that returns void, takes the arrays and '
            "sizes, and launches your kernel; its last argument may be a cudaStream_t to launch on"
        )
    if len(found) > 1:
        names = ", ".join(f"{name} (line {line})" for name, line in found.items())
        raise NoEntry(f"{file} defines {len(found)} entries, {names}: pick one with --entry")
    ((name, line),) = found.items()
    return _read(name, line, text, file)


def _candidates(source: str, text: str) -> list[tuple[str, int]]:
    """Names and lines of the functions with C linkage; `text` is the source without comments and literals."""
    found: list[tuple[str, int]] = []
    for linkage in C_LINKAGE.finditer(source):
        if not text.startswith("extern", linkage.start()):
            continue
        end = _block_end(text, linkage.end()) if linkage["block"] else linkage.end()
        names = NAME.finditer(text, linkage.end(), end) if linkage["block"] else _next_name(text, end)
        inside = text.count("\n", 0, linkage.start()) + 1, text.count("\n", 0, end) + 1
        for name in {match[1] for match in names}:
            found += [(name, e.line) for e in definitions(text, name) if _within(e.line, inside, linkage)]
    return sorted(found, key=lambda entry: entry[1])


def _block_end(text: str, start: int) -> int:
    """Where the brace opened just before `start` is closed."""
    depth = 1
    for mark in re.finditer(r"[{}]", text[start:]):
        depth += 1 if mark[0] == "{" else -1
        if depth == 0:
            return start + mark.start()
    return len(text)


def _next_name(text: str, start: int) -> list[re.Match[str]]:
    match = NAME.search(text, start)
    return [match] if match else []


def _within(line: int, lines: tuple[int, int], linkage: re.Match[str]) -> bool:
    first, last = lines
    return first <= line <= last if linkage["block"] else line >= first


def _read(name: str, line: int, text: str, file: str) -> DeclaredEntry:
    opened = re.compile(rf"(?<![\w.>:~]){re.escape(name)}\s*\(").search(text, _start_of(line, text))
    assert opened is not None
    arguments = [" ".join(a.split()) for a in until_closed(text, opened.end()).split(",") if a.strip()]
    place = f"{file}:{line}"
    bf16 = any(BF16 & set(_words(argument)) for argument in arguments)
    precision = Precision.BF16 if bf16 else Precision.FP32
    if bf16 and not name.endswith(SUFFIX):
        raise NoEntry(f"{place}: an entry of BF16 values ends in {SUFFIX}: rename it {name}{SUFFIX}")
    parameters = tuple(_parameter(a, precision, place) for a in arguments if STREAM not in _words(a))
    if not any(p.access is Access.OUTPUT for p in parameters):
        raise NoEntry(f"{place}: {name} has no pointer that is not const, so nothing that it could write")
    return DeclaredEntry(name, line, precision, parameters)


def _start_of(line: int, text: str) -> int:
    """The offset of a line."""
    return sum(len(row) + 1 for row in text.split("\n")[: line - 1])


def _words(argument: str) -> list[str]:
    return re.findall(r"\w+|[^\s\w]", argument.partition("=")[0])


def _parameter(argument: str, precision: Precision, place: str) -> Parameter:
    words = [word for word in _words(argument) if word not in WORDS]
    if len(words) < 2 or not words[-1].isidentifier():
        raise NoEntry(f"{place}: the argument '{argument}' cannot be read: write it as TYPE NAME")
    *kind, name = words
    element = _element(kind[0], precision)
    if element is None or kind[1:] not in ([], ["*"]):
        raise NoEntry(f"{place}: no entry can have the argument '{argument}'; {TAKEN}: take one of those")
    if kind[1:] == ["*"]:
        const = "const" in _words(argument.partition("*")[0])
        return Parameter(name, Kind.TENSOR, element, Access.INPUT if const else Access.OUTPUT)
    if element is Element.INT32:
        return Parameter(name, Kind.INT, element)
    by_value = Parameter(name, Kind.FLOAT, element)
    return replace(by_value, element=Element.FLOAT32) if precision is Precision.FP32 else by_value


def _element(word: str, precision: Precision) -> Element | None:
    if word in INTEGERS:
        return Element.INT32
    if word in BF16:
        return Element.VALUE
    if word == "float":
        return Element.VALUE if precision is Precision.FP32 else Element.FLOAT32
    return None
