"""The page of the leaderboard is what `results/` says."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def leaderboard_page(results: Path) -> str:
    spec = importlib.util.spec_from_file_location("leaderboard_page", ROOT / "docs/leaderboard_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page: str = module.page(results)
    return page


def test_the_page_is_fresh() -> None:
    page = leaderboard_page(ROOT / "results")
    assert (ROOT / "docs/leaderboard.md").read_text() == page, "run python docs/leaderboard_page.py"
    stored = len(list((ROOT / "results").glob("*/*/*/record.json")))
    assert f"| {stored} of 100 |" in page
