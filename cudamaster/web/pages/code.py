"""Source code as HTML lines, highlighted; whatever stands in it is shown, and nothing of it works."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from cudamaster.report.visible import visible
from cudamaster.toolchain.profile import Profile

if TYPE_CHECKING:
    from pygments.token import _TokenType

KINDS = {
    "Comment.Preproc": "cp",
    "Comment": "c",
    "Keyword": "k",
    "Literal.String": "s",
    "Literal.Number": "m",
    "Name.Builtin": "b",
    "Name.Function": "f",
}
"""Kinds of tokens that have a colour, by the beginning of Pygments' names for them."""
WARM = 0.02
"""Least share of the cycles that is worth showing beside a line."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a source."""

    number: int
    html: Markup
    share: float | None = None
    """Of the cycles of its kernel, where the line is hot."""
    why: str = ""
    changed: bool = False
    """Whether the other source lacks it."""


def html_lines(source: str) -> list[Markup]:
    """Every line as HTML, in Pygments' reading of CUDA C++."""
    from pygments.lexers import CudaLexer

    lines, pieces = [], []
    for kind, text in CudaLexer(stripnl=False, ensurenl=False).get_tokens(source):
        first, *others = text.split("\n")
        pieces.append(_piece(kind, first))
        for other in others:
            lines.append(Markup("").join(pieces))
            pieces = [_piece(kind, other)]
    return [*lines, Markup("").join(pieces)]


def _piece(kind: "_TokenType", text: str) -> Markup:
    shown = visible(text)
    if not text.strip():
        return Markup(escape(shown))
    name = str(kind).removeprefix("Token.")
    colour = next((colour for begin, colour in KINDS.items() if name.startswith(begin)), None)
    return Markup('<span class="{}">{}</span>').format(colour, shown) if colour else Markup(escape(shown))


def heat(profile: Profile | None) -> Mapping[int, tuple[float, str]]:
    """Hot lines of a call, each with its share of the whole call's time and the reason."""
    if profile is None or profile.time_ms <= 0:
        return {}
    found: dict[int, tuple[float, str]] = {}
    for kernel in profile.kernels:
        for hot in kernel.hot_lines:
            share = hot.share * kernel.time_ms / profile.time_ms
            if share >= WARM and share > found.get(hot.line, (0.0, ""))[0]:
                found[hot.line] = (share, hot.why)
    return found


def code_lines(source: str, profile: Profile | None, changed: frozenset[int]) -> list[Line]:
    """The lines of a source, with what is known of them; `changed` are numbers, from 1."""
    hot = heat(profile)
    cold: tuple[float | None, str] = None, ""
    return [
        Line(number, html, *(hot.get(number) or cold), number in changed)
        for number, html in enumerate(_trimmed(html_lines(source)), 1)
    ]


def _trimmed(lines: list[Markup]) -> list[Markup]:
    """Without the empty line that the last line break leaves."""
    return lines[:-1] if lines and not lines[-1] else lines


def hot_lines(lines: Sequence[Line]) -> list[Line]:
    """Those that cost time, the hottest first."""
    return sorted((line for line in lines if line.share), key=lambda line: -(line.share or 0))
