"""The stored kernels as a document, `cudamaster.leaderboard/1`; `cudamaster/leaderboard/` compares teams."""

from collections.abc import Iterator
from pathlib import Path

from cudamaster.report.document import Json
from cudamaster.store.results import KERNEL, OWN_SIZES, PLACES, RECORD, read_stored


def leaderboard_document(results: Path, operator: str | None = None) -> Json:
    """Every stored kernel, or those of one operator: fastest first for each operator and precision."""
    return {"schema": "cudamaster.leaderboard/1", "results": stored_rows(results, operator)}


def stored_rows(results: Path, operator: str | None = None) -> list[Json]:
    """The rows of `leaderboard_document`. Raises BrokenStore."""
    rows = [row for row in _rows(results) if operator in (None, row["operator"])]
    return sorted(rows, key=lambda r: (r["operator"], r["precision"], -r["speedup"]["low"]))


def _rows(results: Path) -> Iterator[Json]:
    for depth in PLACES:
        for file in sorted(results.glob(f"{depth}/{RECORD}")):
            stored = read_stored(file.parent)
            if stored is not None:
                yield _row(stored.record, file.parent)


def _row(record: Json, folder: Path) -> Json:
    evaluation = record["evaluation"]
    names = ("operator", "precision", "device", "clock", "strategy", "model", "change", "time")
    figures = {"speedup": evaluation["speedup"], "attainment": evaluation.get("attainment")}
    if vendor := evaluation.get("vendor"):
        figures["vendor"] = vendor
    own = {"shapes": record["settings"]["shapes"]} if folder.parent.name == OWN_SIZES else {}
    where = {"kernel": str(folder / KERNEL), "record": str(folder / RECORD)}
    return {name: record.get(name) for name in names} | figures | own | where
