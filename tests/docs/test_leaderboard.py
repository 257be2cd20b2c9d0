"""The page of the leaderboard is what `results/` says."""

from pathlib import Path

from mskernelbench.catalog import all_tasks
from tests.docs.scripts import ROOT, script, stored_results


def leaderboard_page(results: Path) -> str:
    page: str = script("leaderboard_page").page(results)
    return page


def test_the_page_is_fresh(tmp_path: Path) -> None:
    shown = (ROOT / "docs/leaderboard.md").read_text()
    fresh = [r for r in stored_results(tmp_path) if leaderboard_page(r) == shown]
    assert fresh, "run python docs/leaderboard_page.py"
    stored = len(list(fresh[0].glob("*/*/*/record.json")))
    assert f"| {stored} of {len(all_tasks())} |" in shown
