"""The style: every text and mark stands out from what lies behind it, in light and in dark."""

import re
from importlib.resources import files

import pytest

STYLE = (files("cudamaster.web.pages") / "templates/style.css").read_text()
TOKENS = ("keyword", "comment", "string", "number", "builtin", "function", "preprocessor")
TEXT = (
    *((name, back) for name in ("ink", "quiet", "link", "good", "bad") for back in ("paper", "panel")),
    *((name, back) for name in (*TOKENS, "ink", "quiet") for back in ("panel", "ins", "del")),
    ("hot", "panel"),
)
MARKS = (
    *((name, "paper") for name in ("before", "after", "roof", "bad", "focus", "link")),
    ("before", "panel"),
)
ENOUGH_FOR_TEXT, ENOUGH_FOR_MARKS = 4.5, 3.0
"""WCAG 2.2, 1.4.3 and 1.4.11."""


def colours(scheme: str) -> dict[str, str]:
    """Colours by name."""
    light, dark = (part.split("}")[0] for part in STYLE.split(":root {")[1:3])
    found = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", light))
    return found if scheme == "light" else found | dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", dark))


def luminance(colour: str) -> float:
    """Relative, as WCAG 2.2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_has_the_greatest_contrast() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("pairs", "enough"), [(TEXT, ENOUGH_FOR_TEXT), (MARKS, ENOUGH_FOR_MARKS)], ids=["text", "marks"]
)
def test_contrast_is_enough(scheme: str, pairs: tuple[tuple[str, str], ...], enough: float) -> None:
    known = colours(scheme)
    poor = {
        (name, back): round(ratio, 2)
        for name, back in pairs
        if (ratio := contrast(known[name], known[back])) < enough
    }
    assert poor == {}


def test_dark_names_every_colour_anew() -> None:
    light, dark = (
        set(re.findall(r"--([a-z]+): #", part.split("}")[0])) for part in STYLE.split(":root {")[1:3]
    )
    assert light == dark


def test_every_colour_is_named_once() -> None:
    """No rule brings a colour of its own, which would be right in light or in dark only."""
    rules = STYLE.split("* { box-sizing")[1]
    assert re.findall(r"#[0-9a-f]{3,8}\b|rgb|hsl", rules) == []


def test_nothing_is_asked_for_from_elsewhere() -> None:
    assert re.findall(r"url\(|@import|https?:", STYLE) == []
