"""The check as one JSON document, and the rule which documents are measurements."""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from benchmarks.gpu_check.kept_rows import IDENTITY, rows_of
from benchmarks.gpu_check.modelling import agreement
from benchmarks.gpu_check.nouns import WITHOUT, Part, Row
from cudamaster.toolchain.timing import Clock

SCHEMA = "cudamaster.gpu-check/1"
MEASUREMENTS = Path(__file__).parents[2] / "docs" / "measurements"


class NotMeasured(Exception):
    """Times that no GPU measured are kept out of the measurements; the message says whose they are."""


def document(folder: Path, parts: Sequence[Part], command: str, finished: datetime) -> Row:
    """Everything that `folder` holds of the parts, with what each says."""
    identity = json.loads((folder / IDENTITY).read_text())
    told = {}
    every: list[Row] = []
    for part in parts:
        rows = rows_of(folder, part.name)
        every += rows
        told[part.name] = {"does": part.does, "figures": part.figures(rows) if rows else {}, "rows": rows}
    head = {"schema": SCHEMA, "command": command, "time": finished.isoformat(timespec="seconds")}
    of_all = {"clocks": clocks(every), "without": without(every), "agreement": agreement(every)}
    return {**head, **identity, **of_all, "parts": told}


def clocks(rows: Sequence[Row]) -> Row:
    """SM clocks and temperatures over all times, and what slowed the GPU down; empty where none is told."""
    times = [time for row in rows for time in row.get("times", ())]
    spans = {name: [end for time in times for end in time.get(name, ())] for name in ("sm_mhz", "celsius")}
    told: Row = {name: [min(ends), max(ends)] for name, ends in spans.items() if ends}
    slowed = sorted({reason for time in times for reason in time.get("slowed_by", ())})
    return told | ({"slowed_by": slowed} if told else {})


def without(rows: Sequence[Row]) -> list[str]:
    """What was left out, over all rows, of what keeps kernels from this machine's other things."""
    return sorted({words for row in rows for words in row.get(WITHOUT, ())})


def keep_measurement(told: Row, folder: Path = MEASUREMENTS) -> Path:
    """Write a document of measured times as `<date>-<gpu>.json`. Raises NotMeasured."""
    if told["clock"] != str(Clock.MEASURED):
        raise NotMeasured(
            f"{told['device']} stood in for a GPU and its times are {told['clock']}: nothing goes to {folder}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{told['time'][:10]}-{told['gpu']}.json"
    file.write_text(json.dumps(told, indent=1) + "\n")
    return file
