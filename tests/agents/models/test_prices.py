"""Price files, ours and the user's."""

from datetime import date
from pathlib import Path

import pytest

from cudamaster.agents.errors import BadPrices
from cudamaster.agents.models.price import Price
from cudamaster.agents.models.prices import price_of

ROW = "{input = 1, cached_input = 0.5, output = 2}"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "prices.toml"


def test_the_longest_name_of_the_user_s_file_wins_over_ours(file: Path) -> None:
    file.write_text(f'[openai]\ngpt = {ROW}\n"gpt-5" = {{input = 3, cached_input = 1, output = 4}}\n')
    assert price_of("openai", "gpt-5-mini", file) == Price(3, 1, 4)
    assert price_of("openai", "gpt-4", file) == Price(1, 0.5, 2)
    assert price_of("openai", "unheard-of", file) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[openai", "not TOML"),
        ("openai = 3", "must be a table"),
        ("openai = ['m']", "must be a table"),
        ("[openai]\nm = 3", "needs the numbers"),
        ("[openai]\nm = {input = 1}", "needs the numbers"),
        (f"[openai]\nm = {ROW.replace('1', '-1')}", "not negative"),
        (f"[openai]\nm = {ROW.replace('1', 'nan')}", "not negative"),
        (f"[openai]\nm = {ROW.replace('1', 'inf')}", "not negative"),
    ],
)
def test_a_price_file_with_a_mistake_is_refused_by_name(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(BadPrices, match=said) as told:
        price_of("openai", "m", file)
    assert str(file) in str(told.value)


def test_a_price_file_that_is_not_there_is_named(file: Path) -> None:
    with pytest.raises(BadPrices, match="cannot be read"):
        price_of("openai", "m", file)


def test_our_prices_say_when_they_were_noted_and_the_user_s_may(file: Path) -> None:
    ours = price_of("openai", "gpt-5")
    file.write_text(f"[openai]\nm = {ROW}\n")
    undated = price_of("openai", "m", file)
    file.write_text(f'as_of = "2027-01-01"\n[openai]\nm = {ROW}\n')
    dated = price_of("openai", "m", file)

    assert ours is not None
    assert date.fromisoformat(ours.as_of) > date(2026, 1, 1)
    assert (undated, dated) == (Price(1, 0.5, 2), Price(1, 0.5, 2, "2027-01-01"))
