"""Source places: which line of the candidate's own file an instruction comes from."""

import re

from cudamaster.toolchain.devices.virtual.ptx.nouns import SourceLine

_FILE = re.compile(r'^[ \t]*\.file[ \t]+(\d+)[ \t]+"([^"\n]*)"', re.MULTILINE)
_LOC = re.compile(
    r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:\s*,\s*function_name\s[^,]+,\s*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?"
)
_Place = tuple[str, str, str]


def files(text: str) -> dict[int, str]:
    """The `.file` names by number; nvcc writes them at the end of the text."""
    return {int(number): name for number, name in _FILE.findall(text)}


def own_files(names: dict[int, str]) -> frozenset[int]:
    """The files the candidate wrote: the `.cu` files, or else what does not lie in an include folder."""
    written = [number for number, name in names.items() if name.endswith(".cu")]
    return frozenset(written or [number for number, name in names.items() if "/include/" not in name])


class Places:
    """Follows a function's `.loc` lines; `now` is where the next instruction comes from."""

    def __init__(self, own: frozenset[int]) -> None:
        self.now: SourceLine | None = None
        self._own = {str(number) for number in own}
        self._known: dict[_Place, SourceLine] = {}
        self._lines: dict[tuple[str, str], SourceLine] = {}

    def enter(self) -> None:
        """Start a function, whose first instructions have no place yet."""
        self.now = None
        self._known.clear()

    def follow(self, text: str) -> None:
        """Take one `.loc` line; an inlined place outside the candidate's files counts as its caller's."""
        match = _LOC.match(text)
        if match is None or match[2] == "0":
            return
        place, caller = (match[1], match[2], match[3]), (match[4], match[5], match[6])
        if match[4] is None or match[1] in self._own:
            self.now = self._line(match[1], match[2])
        else:
            self.now = self._outer(place, caller)
        self._known[place] = self.now

    def _outer(self, place: _Place, caller: _Place) -> SourceLine:
        found = self._known.get(caller) or self._line(caller[0], caller[1])
        return found if str(found.file) in self._own else self._line(place[0], place[1])

    def _line(self, file: str, line: str) -> SourceLine:
        key = (file, line)
        if key not in self._lines:
            self._lines[key] = SourceLine(int(file), int(line))
        return self._lines[key]
