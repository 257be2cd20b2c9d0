"""The suite's own table: one row a baseline, as a document, for people, and kept in a file."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cudamaster.report.document import Json, to_text
from cudamaster.report.figures import percent
from cudamaster.report.listing import plain_table
from cudamaster.store.atomic import write_atomically

if TYPE_CHECKING:
    from rich.table import Table

SCHEMA = "cudamaster.suite/1"
COLUMNS = ("operator", "precision", "status", "paper ms", "real ms", "attains", "bound", "error", "s")


def suite_document(device: str, clock: str, seed: int, rows: Iterable[Json]) -> Json:
    """`cudamaster.suite/1`: rows by operator and precision, `fp32` first."""
    return {
        "schema": SCHEMA,
        "device": device,
        "clock": clock,
        "seed": seed,
        "rows": sorted(rows, key=lambda row: (row["operator"], row["precision"] != "fp32")),
    }


def keep(file: Path, document: Json) -> None:
    """Write the document to `file`, with the rows it had of other operators and precisions.

    Rows of another device or clock are not comparable and are dropped.
    """
    old = json.loads(file.read_text()) if file.exists() else {}
    same = all(old.get(key) == document[key] for key in ("schema", "device", "clock", "seed"))
    rows = {key_of(row): row for row in (old["rows"] if same else [])}
    rows |= {key_of(row): row for row in document["rows"]}
    about = (document["device"], document["clock"], document["seed"])
    write_atomically(file, (to_text(suite_document(*about, rows.values())) + "\n").encode())


def key_of(row: Mapping[str, Any]) -> tuple[str, str]:
    """What tells rows apart."""
    return (row["operator"], row["precision"])


def suite_table(rows: Sequence[Json]) -> "Table":
    """The rows, one a line."""
    return plain_table(COLUMNS, map(cells, rows), whole=("operator", "precision", "status"))


def cells(row: Json) -> tuple[str, ...]:
    """One line: times and attainment are geometric means over a set, the bound is the most frequent one."""
    sets = row["sets"]
    last = sets.get("real") or sets.get("paper") or {}
    return (
        row["operator"],
        row["precision"],
        row["status"] if not row.get("reason") else f"{row['status']}: {row['reason']}",
        *(f"{sets[name]['ms']:.4g}" if name in sets else "" for name in ("paper", "real")),
        percent(last["attainment"]) if last else "",
        last["bounds"][0] if last.get("bounds") else "",
        f"{row['error_ratio']:.2f}" if "error_ratio" in row else "",
        f"{row['seconds']:.1f}",
    )
