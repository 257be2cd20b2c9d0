"""PTX text to a `Module`: reads PTX up to version 9.9 as nvcc 13 writes it, inline assembly included.

Read but not kept: debug sections, pragmas, call prototypes. Not read: vector registers, `.reg` parameters.
"""

import re

from cudamaster.toolchain.devices.virtual.ptx import declarations
from cudamaster.toolchain.devices.virtual.ptx.body import Body
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel, Module, Variable
from cudamaster.toolchain.devices.virtual.ptx.places import Places, files, own_files
from cudamaster.toolchain.devices.virtual.ptx.text import PtxError, error_at, first_line, without_comments

__all__ = ["NEWEST_VERSION", "PtxError", "parse_module"]

NEWEST_VERSION = (9, 9)
"""The newest `.version` read."""

_VERSION = re.compile(r"\s*\.version\s+(\d+)\.(\d+)")
_TARGET = re.compile(r"\s*\.target\s+(\w+)[^\n]*")
_LINE = re.compile(r"\.(?:target|address_size|version|file|loc)\b[^\n]*")
_SECTION = re.compile(r"\.section\b[^{]*\{[^{}]*\}")
_PRAGMA = re.compile(r"\.pragma\b[^;]*;")
_ALIAS = re.compile(r"\.alias\s+([\w$]+)\s*,\s*([\w$]+)\s*;")
_FUNCTION = re.compile(
    r"(?:\.(?:visible|extern|weak)\s+)*(?:\.attribute\s*\([^;{]*?\)\)?\s*)?\.(entry|func)\b\s*"
    r"(?:\.attribute\s*\([^;{]*?\)\)?\s*)?(?:\(([^)]*)\)\s*)?([\w$%]+)\s*(?:\(([^)]*)\))?([^{;]*)([{;])"
)
_VARIABLE = re.compile(r"(?:\.(?:visible|extern|weak|common)\s+)*\.(?:global|const|shared|local)\b[^;]*;")
_DIRECTIVE = re.compile(r"\.(\w+)[ \t]*((?:\d+[\s,]*)*)")
_SPACE = re.compile(r"[\s;]*")


def parse_module(text: str) -> Module:
    """The module that `text` holds; PtxError if it is not PTX, is too new or lacks a kernel's body.

    Directives are keyed without their dot (`maxntid`); one without numbers (`explicitcluster`) holds ().
    """
    return _Reader(without_comments(text)).module()


class _Reader:
    """Walks a module's statements from the first to the last."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._files = files(text)
        self._places = Places(own_files(self._files))
        self._kernels: dict[str, Kernel] = {}
        self._variables: dict[str, Variable] = {}
        self._declared: dict[str, int] = {}
        self._entries_declared: dict[str, int] = {}

    def module(self) -> Module:
        version, target, position = self._header()
        while (position := self._skip(position)) < len(self._text):
            position = self._statement(position)
        for name, place in self._entries_declared.items():
            if name not in self._kernels:
                raise error_at(self._text, place, f"kernel {name} has no body")
        declared = frozenset(self._declared.keys() - self._kernels.keys())
        return Module(version, target, self._kernels, declared, self._variables, self._files)

    def _header(self) -> tuple[tuple[int, int], str, int]:
        version = _VERSION.match(self._text)
        if version is None:
            raise error_at(
                self._text, 0, f"not PTX: it starts with {first_line(self._text, 0)!r}, not .version"
            )
        number = (int(version[1]), int(version[2]))
        if number > NEWEST_VERSION:
            raise error_at(
                self._text, version.start(1), f"PTX version {number[0]}.{number[1]} is newer than 9.9"
            )
        target = _TARGET.match(self._text, version.end())
        if target is None:
            raise error_at(self._text, version.end(), "no .target after .version")
        return number, target[1], target.end()

    def _skip(self, position: int) -> int:
        space = _SPACE.match(self._text, position)
        assert space is not None
        return space.end()

    def _statement(self, position: int) -> int:
        for pattern in (_LINE, _SECTION, _PRAGMA):
            match = pattern.match(self._text, position)
            if match:
                return match.end()
        for pattern, take in (
            (_FUNCTION, self._function),
            (_VARIABLE, self._variable),
            (_ALIAS, self._alias),
        ):
            match = pattern.match(self._text, position)
            if match:
                return take(match)
        raise error_at(self._text, position, f"not a PTX declaration: {first_line(self._text, position)!r}")

    def _variable(self, match: re.Match[str]) -> int:
        try:
            for variable in declarations.variables(match.group()[:-1]):
                self._variables[variable.name] = variable
        except ValueError as error:
            raise error_at(self._text, match.start(), f"cannot read {error}") from None
        return match.end()

    def _alias(self, match: re.Match[str]) -> int:
        if match[2] not in self._kernels:
            raise error_at(self._text, match.start(), f"{match[1]} is an alias of unknown {match[2]}")
        self._kernels[match[1]] = self._kernels[match[2]]
        return match.end()

    def _function(self, match: re.Match[str]) -> int:
        is_entry, name = match[1] == "entry", match[3]
        if match[6] == ";":
            (self._entries_declared if is_entry else self._declared)[name] = match.start()
            return match.end()
        body = Body(self._text, self._places)
        end = body.read(match.end())
        self._kernels[name] = Kernel(
            name,
            is_entry,
            self._parameters(match, 4),
            self._parameters(match, 2),
            body.registers,
            body.variables,
            body.blocks,
            body.labels,
            body.branch_tables,
            _directives(match[5]),
        )
        return end

    def _parameters(self, match: re.Match[str], group: int) -> tuple[Variable, ...]:
        try:
            return declarations.parameters(match[group] or "")
        except ValueError as error:
            raise error_at(self._text, match.start(group), f"cannot read {error}") from None


def _directives(text: str) -> dict[str, tuple[int, ...]]:
    """`.maxntid 256, 1, 1` between the parameter list and the body."""
    plain = re.sub(r"\.pragma\b[^;\n]*", "", text)
    return {
        name: tuple(int(n) for n in re.findall(r"\d+", numbers))
        for name, numbers in _DIRECTIVE.findall(plain)
    }
