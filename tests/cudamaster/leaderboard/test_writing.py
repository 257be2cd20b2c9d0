from typing import Any

import pytest

from cudamaster.cli.leaderboard import show_table
from cudamaster.leaderboard.entries import Ground
from cudamaster.leaderboard.standings import Table
from mskernelbench.scores import THRESHOLDS

ROW: dict[str, Any] = {
    "scenario": "scientific",
    "precision": "fp32",
    "team": "openai:gpt-5, high effort",
    "tried": 14,
    "tasks": 14,
    "right": 13,
    "success": {f"{t:g}": 0.5 for t in THRESHOLDS},
    "speedup": {"geomean": 12.34, "low": 10.0, "high": 15.0},
    "paper_score": 38.89,
    "attainment": 0.774,
    "won_from_vendor": 0.25,
    "usd_a_task": 12.3,
    "minutes_a_task": 31.4,
}
TABLE = Table(Ground("modelled", "virtual:h200", "model 1"), [ROW, ROW | {"scenario": "algebra"}])


def test_a_terminal_breaks_no_word_and_says_which_columns_it_has_no_room_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_table(TABLE, ["scenario", "precision"])
    said = capsys.readouterr().out

    assert max(map(len, said.splitlines())) <= 120
    assert {"scientific", "precision", "openai:gpt-5,", "12.34x", "[10.00,", "paper's"} <= set(said.split())
    assert "no room here for " in said
    assert "min / task" in said.splitlines()[-1]


def test_a_table_that_fits_keeps_every_column(capsys: pytest.CaptureFixture[str]) -> None:
    few = {name: value for name, value in ROW.items() if name not in ("won_from_vendor", "usd_a_task")}
    show_table(Table(TABLE.ground, [few]), [])
    said = capsys.readouterr().out

    assert "no room" not in said
    assert {"31.4", "77.4", "38.89"} <= set(said.split())
