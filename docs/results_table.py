"""Prints the README's table of stored results: `python docs/results_table.py` reads `results/`."""

import json
from pathlib import Path

from cudamaster.store.results import OWN_SIZES

ROOT = Path(__file__).parent.parent
HEAD = (
    "| operator | precision | speedup over the fair baseline | attainment | strategy | clock |",
    "|---|---|---|---|---|---|",
)


def table(results: Path) -> str:
    """One row a record, by device, operator and precision; of our own workloads, not of a user's."""
    return "\n".join(
        [
            *HEAD,
            *(
                _row(json.loads(p.read_text()))
                for p in sorted(results.rglob("record.json"))
                if OWN_SIZES not in p.parts
            ),
        ]
    )


def _row(record: dict) -> str:  # type: ignore[type-arg]
    evaluation = record["evaluation"]
    return (
        f"| {evaluation['operator']} | {evaluation['precision']} | {evaluation['speedup']['geomean']:.2f}x"
        f" ({record['slowest']['speedup']['median']:.2f}x to {record['fastest']['speedup']['median']:.2f}x)"
        f" | {100 * evaluation['attainment']:.0f} % | {record['strategy']}"
        f" | {evaluation['clock']}, {evaluation['device']} |"
    )


if __name__ == "__main__":
    print(table(ROOT / "results"))
