"""The gauntlet's page is what its file says, and has every cheat with the rule that refuses it first."""

import json
from typing import Any

from tests.docs.scripts import DOCS, script
from tests.gauntlet.kernels import cheats, harmless, suspects

PAGE = "run python docs/gauntlet_table.py"
ROWS = "run python -m tests.gauntlet.ablation"


def gauntlet_page(rows: list[dict[str, Any]]) -> str:
    page: str = script("gauntlet_table").page(rows)
    return page


def stored() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((DOCS / "gauntlet.json").read_text())
    return rows


def test_the_page_is_fresh() -> None:
    assert (DOCS / "gauntlet.md").read_text() == gauntlet_page(stored()), PAGE


def test_every_cheat_is_on_it() -> None:
    assert [row["name"] for row in stored()] == [kernel.name for kernel in suspects()], ROWS


def test_what_refuses_a_cheat_first_is_what_its_file_says() -> None:
    said = {cheat.name: [cheat.rule] for cheat in cheats()}
    assert {row["name"]: row["rules"][:1] for row in stored() if "rules" in row} == said, ROWS


def test_what_is_harmless_says_why_and_gains_less_than_what_counts_as_a_difference() -> None:
    rows = {row["name"]: row for row in stored() if "since" in row}
    assert {name: row["since"] for name, row in rows.items()} == {k.name: k.since for k in harmless()}, ROWS
    assert all(row["gains"] < 1.1 for row in rows.values())
