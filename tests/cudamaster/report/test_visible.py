"""Characters that cannot be seen."""

import pytest

from cudamaster.report.visible import visible


@pytest.mark.parametrize(
    "character", ["\x00", "\x1b", "\x7f", "\u200b", "\u202e", "\u2066", "\u2028", "\ue000"]
)
def test_a_character_that_cannot_be_seen_is_shown_by_its_number(character: str) -> None:
    assert visible(f"a{character}b") == f"a‹U+{ord(character):04X}›b"


def test_all_else_stays() -> None:
    text = "tabs\tand lines\n, ÷ × Δ 日本 <&> 😀"
    assert visible(text) == text
