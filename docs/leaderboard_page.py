"""Writes docs/leaderboard.md from `results/`: `python docs/leaderboard_page.py`."""

from pathlib import Path

from cudamaster.leaderboard.entries import read_entries
from cudamaster.leaderboard.standings import tables_of
from cudamaster.leaderboard.writing import heading, markdown_table, rule_lines

ROOT = Path(__file__).parent.parent
HEAD = """# Leaderboard

What is stored in `results/`: the best kernels that any run of a team has found. *≥ 2x* is the share of the
row's tasks that are right and at least twice as fast as the fair baseline; a task that was never tried counts
as not reached. This page is made again by `python docs/leaderboard_page.py`; `cudamaster leaderboard results`
prints its first table, and `cudamaster bench --out FILE.json` makes an entry of one's own.
"""
PARTS = ((), ("scenario",), ("precision",))


def page(results: Path) -> str:
    """The whole page: a section for each device, clock and version of it."""
    entries = read_entries([results])
    parted = [tables_of(entries, by) for by in PARTS]
    sections = [HEAD]
    for tables in zip(*parted, strict=True):
        sections.append(f"## {heading(tables[0].ground)}\n")
        sections += [f"{markdown_table(table, by)}\n" for table, by in zip(tables, PARTS, strict=True)]
    return "\n".join([*sections, rule_lines()]) + "\n"


if __name__ == "__main__":
    (ROOT / "docs" / "leaderboard.md").write_text(page(ROOT / "results"))
