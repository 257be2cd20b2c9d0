"""The page of all baselines is what its file says, and leaves no operator out."""

import json
from typing import Any

from mskernelbench.catalog import all_tasks
from tests.docs.scripts import DOCS, script

AGAIN = "run python docs/suite_table.py"


def suite_page(document: dict[str, Any]) -> str:
    page: str = script("suite_table").page(document)
    return page


def stored() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((DOCS / "suite.json").read_text())
    return document


def test_the_page_is_fresh() -> None:
    assert (DOCS / "suite.md").read_text() == suite_page(stored()), AGAIN


def test_every_operator_is_on_it_at_both_precisions() -> None:
    text = (DOCS / "suite.md").read_text()
    assert [task for task in all_tasks() if f"| {task[0]} | {task[1]} | " not in text] == [], AGAIN


def test_no_baseline_on_it_is_refused() -> None:
    refused = [row for row in stored()["rows"] if row["status"] != "correct" or row.get("reason")]
    assert refused == []


def test_a_task_without_a_row_is_called_not_judged() -> None:
    page = suite_page(stored() | {"rows": []})
    assert page.count("| not judged yet |") == len(all_tasks())
    assert f"0 of {len(all_tasks())} are correct" in page
