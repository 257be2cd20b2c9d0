"""A result file, `cudamaster.bench/1`: what a team came to on many tasks, and what is needed to repeat it.

The file is whole at every moment: each row is written as soon as it is known. Its own hash stands in it, so
that a file that was cut off or edited is told from one that was not.
"""

import json
import threading
from collections.abc import Sequence
from pathlib import Path

from cudamaster.bench.score import TaskStatus, name_of, score_of
from cudamaster.errors import UsageError
from cudamaster.report.document import Json, to_text
from cudamaster.store.atomic import write_atomically
from cudamaster.store.codec import Malformed
from cudamaster.store.results import seal_of
from mskernelbench.scores import Task

SCHEMA = "cudamaster.bench/1"
SEAL = "sha256"
GROUND = ("device", "clock", "clock_version", "versions", "settings")
"""What all rows of one file share: without it they would not be comparable."""


class ResultFile:
    """One result file that is being worked on. Its rows may be put from several threads."""

    def __init__(self, path: Path, document: Json) -> None:
        self.path = path
        self._document = document
        self._rows = {task_of(row): row for row in document["tasks"]}
        self._lock = threading.Lock()

    def expect(self, tasks: Sequence[Json]) -> None:
        """Add rows of tasks that the file has none of, and write it."""
        with self._lock:
            for row in tasks:
                self._rows.setdefault(task_of(row), row)
            self._write()

    def put(self, row: Json) -> None:
        """Put a task's row in the place of what is there, and write the file."""
        with self._lock:
            self._rows[task_of(row)] = row
            self._write()

    def row(self, task: Task) -> Json:
        """What the file says of a task."""
        row: Json = self._rows[task]
        return row

    def document(self) -> Json:
        """The file's content, sealed."""
        rows = sorted(self._rows.values(), key=lambda row: (row["operator"], row["precision"] != "fp32"))
        return sealed(self._document | {"tasks": rows})

    def _write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self.path, (to_text(self.document()) + "\n").encode())


def task_of(row: Json) -> Task:
    """What tells rows of one file apart."""
    return (row["operator"], row["precision"])


def pending(operator: str, precision: str, scenario: str) -> Json:
    """The row of a task that was not begun."""
    about = {"operator": operator, "precision": precision, "scenario": scenario}
    return about | {"status": str(TaskStatus.PENDING)}


def sealed(document: Json) -> Json:
    """`document` with its own hash, in front of the rows."""
    content = json.loads(to_text({k: v for k, v in document.items() if k != SEAL}))
    head = {key: value for key, value in content.items() if key != "tasks"}
    return head | {SEAL: seal_of(content, SEAL), "tasks": content["tasks"]}


def open_result_file(path: Path, begun: Json) -> ResultFile:
    """The file at `path`, gone on with; a new one that says `begun` where there is none.

    Raises UsageError where the file is none of this version, was changed, or began on another ground.
    """
    if not path.exists():
        return ResultFile(path, begun | {"tasks": []})
    document = read_result_file(path)
    for name in GROUND:
        if document.get(name) != begun[name]:
            raise UsageError(
                f"{path} began with {_difference(document.get(name), begun[name], name)}: results of both do "
                "not belong into one file; give another --out"
            )
    return ResultFile(path, document)


def _difference(there: object, now: object, name: str) -> str:
    if isinstance(there, dict) and isinstance(now, dict):
        unlike = [key for key in sorted(there.keys() | now.keys()) if there.get(key) != now.get(key)]
        return " and ".join(f"{key} {there.get(key)}, which is now {now.get(key)}" for key in unlike)
    return f"{name} {there}, which is now {now}"


def read_result_file(path: Path) -> Json:
    """A result file's document, every row of which states what its status allows. Raises UsageError."""
    document = _read(path)
    _require_schema(document, path)
    if document.get(SEAL) != seal_of(document, SEAL):
        raise UsageError(
            f"{path} was changed after it was written (its sha256 does not fit): take the file that "
            "'cudamaster bench' wrote"
        )
    _require_rows(document, path)
    return document


def _read(path: Path) -> Json:
    try:
        document = json.loads(path.read_bytes().decode(), parse_constant=_no_number)
    except OSError as fault:
        raise UsageError(
            f"{path} cannot be read ({fault.strerror}): name a result file of 'bench', or a "
            "folder of stored results"
        ) from fault
    except (ValueError, RecursionError) as fault:
        raise UsageError(
            f"{path} is not whole JSON ({fault}): it was cut off or edited; bench again, or take a sound copy"
        ) from fault
    if not isinstance(document, dict):
        raise UsageError(f"{path} is no result file: name one that 'cudamaster bench' wrote")
    return document


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def _require_schema(document: Json, path: Path) -> None:
    schema = document.get("schema")
    if schema == SCHEMA:
        return
    if isinstance(schema, str) and schema.isprintable() and schema.startswith("cudamaster.bench/"):
        raise UsageError(
            f"{path} is of schema {schema}, and this version reads {SCHEMA} only: use the version that wrote "
            "it, or bench again"
        )
    found = repr(schema) if schema else "JSON without a schema"
    raise UsageError(f"{path} is no result file ({SCHEMA}) but {found}")


def _require_rows(document: Json, path: Path) -> None:
    seen: set[Task] = set()
    where = "its head"
    try:
        _require_ground(document)
        for number, row in enumerate(document["tasks"], 1):
            where = f"task {number}"
            task = score_of(row).task
            clock = row.get("evaluation", document).get("clock")
            if clock != document["clock"]:
                raise Malformed(f"its evaluation is {clock}, and the file {document['clock']}")
            if task in seen:
                raise Malformed(f"{' '.join(task)} comes twice")
            seen.add(task)
    except Malformed as fault:
        raise UsageError(f"{path} cannot be right: in {where}, {fault}") from fault


def _require_ground(document: Json) -> None:
    kinds = {
        "device": str,
        "clock": str,
        "clock_version": str,
        "versions": dict,
        "settings": dict,
        "tasks": list,
    }
    for name, kind in kinds.items():
        if not isinstance(document.get(name), kind):
            raise Malformed(f"{name} is missing or of the wrong kind")
    if document["clock"] not in ("measured", "modelled"):
        raise Malformed(f"the clock {document['clock']!r} is unknown")
    settings = document["settings"]
    for name in (document["device"], document["clock_version"], settings.get("model")):
        name_of(name)
    for name in ("rounds", "candidates"):
        if type(settings.get(name)) is not int:
            raise Malformed(f"settings.{name} is {settings.get(name)!r}, which is no number")
