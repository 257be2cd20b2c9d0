"""What the README shows is what is stored."""

from pathlib import Path

from tests.docs.scripts import ROOT, script, stored_results


def results_table(results: Path) -> str:
    table: str = script("results_table").table(results)
    return table


def test_the_table_of_results_is_fresh(tmp_path: Path) -> None:
    shown = (ROOT / "README.md").read_text()
    assert any(results_table(results) in shown for results in stored_results(tmp_path))


def test_the_pictures_and_pages_that_the_readme_links_to_exist() -> None:
    text = (ROOT / "README.md").read_text()
    links = [part.split(")")[0] for part in text.split("](")[1:]]
    missing = [link for link in links if "://" not in link and not (ROOT / link).exists()]
    assert missing == []
