from pathlib import Path

from cudamaster.cli.spending import spending_words
from cudamaster.config import Config, Keys
from tests.doubles import scripted_run

ENVIRONMENT = {"OPENAI_API_KEY": "sk-secret"}


def words(prices: Path | None = None) -> str:
    asked = scripted_run.settings(Path("out"), model="openai:gpt-5", rounds=1, max_usd=2.0)
    return spending_words(asked, Config(keys=Keys(ENVIRONMENT, prices=prices)))


def test_an_estimate_by_our_prices_says_that_they_are_to_be_checked() -> None:
    assert "9 calls and $0.81 (by prices noted on 2026-11-30: check them), at most $2.00" in words()


def test_an_estimate_by_the_user_s_own_prices_does_not(tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    own.write_text('[openai]\n"gpt-5" = {input = 1, cached_input = 1, output = 1}\n')

    assert "9 calls and $0.14, at most $2.00" in words(own)
