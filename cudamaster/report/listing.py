"""Lists of what exists, as documents: operators, runs."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from cudamaster.report.document import Json
from cudamaster.report.visible import visible
from cudamaster.store.codec import Json as Event
from cudamaster.toolchain.listing import ListedDevice
from mskernelbench.operator import Operator
from mskernelbench.ratios import ratio_text
from mskernelbench.shapes import shape_example

if TYPE_CHECKING:
    from rich.table import Table


def operators_document(operators: Iterable[Operator]) -> Json:
    """`cudamaster.operators/1`."""
    return {"schema": "cudamaster.operators/1", "operators": [operator_document(o) for o in operators]}


def operator_document(operator: Operator) -> Json:
    """One operator: its names, its entries and how many workloads each set has."""
    sets: dict[str, int] = {}
    for workload in operator.workloads:
        sets[workload.set] = sets.get(workload.set, 0) + 1
    return {
        "name": operator.name,
        "symbol": operator.symbol,
        "title": operator.title,
        "category": str(operator.category),
        "aliases": list(operator.aliases),
        "mathematics": operator.mathematics,
        "entries": {str(p): operator.c_signature(p) for p in operator.precisions},
        "contract": str(operator.contract),
        "shape_example": shape_example(operator),
        "workloads": sets,
    }


def runs_document(runs: Iterable[tuple[str, list[Event], bool]]) -> Json:
    """`cudamaster.runs/1`: each run's name, its events, oldest first, and whether a process works on it."""
    return {"schema": "cudamaster.runs/1", "runs": [run_row(*run) for run in runs]}


def run_row(name: str, events: list[Event], busy: bool = False) -> Json:
    """One run: what it was asked, how far it came, its best speedup; `busy` while a process works on it."""
    first = events[0] if events else {}
    settings = first.get("settings", {})
    outcome = next((e["outcome"] for e in reversed(events) if e["event"] == "finished"), None)
    verdicts = [e["value"] for e in events if e["event"] == "evaluation" and e["number"]]
    lows = [v["speedup"]["low"] for v in verdicts if v["speedup"]]
    best = outcome["best"]["evaluation"]["speedup"]["low"] if outcome and outcome["best"] else None
    figures = {"speedup_low": best if outcome else max(lows, default=None)}
    about = {key: settings.get(key) for key in ("operator", "precision", "device", "model")}
    state = "finished" if outcome else "running" if busy else "unfinished"
    return (
        {"run": name, "started": first.get("time"), "state": state}
        | about
        | {"rounds": sum(e["event"] == "rewards" for e in events), "candidates": len(verdicts)}
        | {key: figure for key, figure in figures.items() if figure is not None and figure > 1.0}
    )


def runs_table(rows: Iterable[Json]) -> "Table":
    """The runs of `cudamaster.runs/1`, one a row; names are never cut, since `resume` wants them whole."""
    columns = ("run", "operator", "precision", "result")
    cells = ((r["run"], r["operator"] or "", r["precision"] or "", _result(r)) for r in rows)
    return plain_table(columns, cells, whole=("run", "precision", "result"))


def _result(row: Json) -> str:
    """`12.34x`, `no gain`, or that the run is running or unfinished, with what it has."""
    gain = _gain(row)
    if row["state"] == "finished":
        return gain or "no gain"
    return f"{row['state']}\n{gain}".rstrip()


def _gain(row: Json) -> str:
    return ratio_text(row["speedup_low"]) if "speedup_low" in row else ""


def operators_table(rows: Iterable[Json]) -> "Table":
    """The operators of `cudamaster.operators/1`, one a row."""
    columns = ("operator", "aliases", "--shape, such as", "what it computes")
    cells = ((r["name"], ", ".join(r["aliases"]), r["shape_example"], r["mathematics"]) for r in rows)
    return plain_table(columns, cells)


def plain_table(
    columns: Iterable[str], rows: Iterable[tuple[str, ...]], whole: Collection[str] = ()
) -> "Table":
    """A table whose cells are texts, whatever characters they hold; columns in `whole` are never broken."""
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        table.add_column(name, no_wrap=name in whole, overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    return table


def devices_document(devices: Iterable[ListedDevice]) -> Json:
    """`cudamaster.devices/1`."""
    return {"schema": "cudamaster.devices/1", "devices": [device_document(device) for device in devices]}


def device_document(device: ListedDevice) -> Json:
    """One device: its name, what it is, and what this machine lacks for it, where it lacks something."""
    lacks = {} if device.lacks is None else {"lacks": device.lacks}
    return {
        "name": device.name,
        "title": device.title,
        "clock": str(device.clock),
        "usable": device.lacks is None,
    } | lacks


def devices_table(rows: Iterable[Json]) -> "Table":
    """The devices of `cudamaster.devices/1`, one a row."""
    columns = ("device", "what it is", "times are", "here")
    cells = (
        (r["name"], r["title"], r["clock"] if r["usable"] else "", r.get("lacks", "usable")) for r in rows
    )
    return plain_table(columns, cells)
