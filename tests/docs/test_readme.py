"""What the README shows is what is stored."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def results_table(results: Path) -> str:
    spec = importlib.util.spec_from_file_location("results_table", ROOT / "docs" / "results_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    table: str = module.table(results)
    return table


def test_the_table_of_results_is_fresh() -> None:
    assert results_table(ROOT / "results") in (ROOT / "README.md").read_text()


def test_the_pictures_and_pages_that_the_readme_links_to_exist() -> None:
    text = (ROOT / "README.md").read_text()
    links = [part.split(")")[0] for part in text.split("](")[1:]]
    missing = [link for link in links if "://" not in link and not (ROOT / link).exists()]
    assert missing == []
