"""What pages are made of: a kernel with its verdict, the code before it, and how it was found."""

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from cudamaster.errors import BrokenStore, RunNotFound, UsageError
from cudamaster.search.story import story_of
from cudamaster.store.codec import Json, Malformed, decode, well_formed
from cudamaster.store.results import (
    KERNEL,
    PLACES,
    RECORD,
    SEAL,
    digest_of,
    read_kernel,
    read_record,
    read_story,
    seal_of,
    tells_of,
)
from cudamaster.store.runs import find_run
from cudamaster.toolchain.profile import Profile
from cudamaster.web.rows import Row, rows_of
from mskernelbench.catalog import find_operator
from mskernelbench.errors import UnknownOperator
from mskernelbench.evaluation import Interval
from mskernelbench.operator import Operator, Precision


@dataclass(frozen=True)
class Exhibit:
    """One kernel, and all that can be shown of it."""

    place: PurePosixPath
    """Its folder in the site."""
    origin: str
    """Its record, as a command beside the results folder names it; empty for a run that stored nothing."""
    evaluation: Json
    """The document `cudamaster.evaluation/1`."""
    kernel: str
    baseline: str | None
    """The code before; None where it is not known any more."""
    operator: Operator | None
    """None for an operator that is not found here."""
    record: Json | None = None
    story: Json | None = None

    @property
    def precision(self) -> Precision:
        """Of the operator's values. Raises ValueError where the evaluation names none."""
        return Precision(self.evaluation["precision"])

    @property
    def device(self) -> str:
        """The record's, which names the hardware, else the verdict's, which may name a slot."""
        return str((self.record or self.evaluation)["device"])

    @property
    def title(self) -> str:
        """`Sparse matrix-vector product (CSR), BF16`."""
        name = self.operator.title if self.operator else self.evaluation["operator"]
        return f"{name}, {self.precision.upper()}"

    @property
    def speedup(self) -> Interval:
        """Over the baseline, the geometric mean over the timed workloads."""
        figures = self.evaluation["speedup"]
        return Interval(*(float(figures[name]) for name in ("geomean", "low", "high")))

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The timed workloads."""
        return rows_of(self.evaluation)

    @property
    def on_own_sizes(self) -> bool:
        """Whether the user's own workloads were timed."""
        return bool(self.rows) and all(row.set == "user" for row in self.rows)

    def profile(self, name: str) -> Profile | None:
        """Counters of the `baseline` or the `champion` on one workload; None where none were kept."""
        value = (self.story or {}).get("profiles", {}).get(name)
        return decode(Profile, value) if value else None


def read_exhibits(results: Path, runs: Path | None = None, own: Path | None = None) -> list[Exhibit]:
    """The stored kernels in a results folder, by place.

    How a kernel was found is read from beside its record, else from the journal of its run in `runs`; `own`
    is the user's folder of operators. Raises UsageError where a file is unsound.
    """
    files = [file for pattern in PLACES for file in sorted(results.glob(f"{pattern}/{RECORD}"))]
    return [_exhibit(file, results, runs, own) for file in files]


def _exhibit(file: Path, results: Path, runs: Path | None, own: Path | None) -> Exhibit:
    try:
        record = read_record(file)
        with well_formed():
            return _read(file, record, results, runs, own)
    except Malformed as fault:
        raise UsageError(f"{file} cannot be right: {fault}; mend or delete it") from fault
    except BrokenStore as fault:
        raise UsageError(str(fault)) from fault


def _read(file: Path, record: Json, results: Path, runs: Path | None, own: Path | None) -> Exhibit:
    kernel = _kernel_of(file, record)
    operator = operator_of(record["operator"], own)
    place = PurePosixPath(file.parent.relative_to(results).as_posix())
    exhibit = Exhibit(
        place=place,
        origin=f"{results.resolve().name}/{place}/{RECORD}",  # a page tells nobody's folders
        evaluation=record["evaluation"],
        kernel=kernel,
        baseline=baseline_of(operator, Precision(record["precision"]), record["baseline_sha256"]),
        operator=operator,
        record=record,
        story=read_story(file.parent, record) or _story_of_run(record, runs),
    )
    _require_figures(exhibit)
    return exhibit


def _require_figures(exhibit: Exhibit) -> None:
    """Raise ValueError where the verdict is none to be shown."""
    if not (exhibit.rows and 0 < exhibit.speedup.low <= exhibit.speedup.high < math.inf):
        raise ValueError("it has no timed workloads, or no speedup")
    for name in ("baseline", "champion"):
        exhibit.profile(name)


def _kernel_of(file: Path, record: Json) -> str:
    """The source beside a record. Raises UsageError where it is not the record's."""
    if not (file.parent / KERNEL).is_file():
        raise UsageError(f"{file} has no {KERNEL} beside it; take a sound copy or delete it")
    kernel = read_kernel(file.parent, record)
    if kernel is None:
        raise UsageError(f"{file} is of another kernel than that beside it; mend or delete them")
    if record.get(SEAL, seal := seal_of(record)) != seal:
        raise UsageError(f"{file} was changed after it was written ({SEAL} does not fit); take a sound copy")
    return kernel


def operator_of(name: str, own: Path | None) -> Operator | None:
    """The operator of this name, `own` being the user's folder; None where it is not found here."""
    try:
        return find_operator(name, own).operator
    except UnknownOperator:
        return None


def baseline_of(operator: Operator | None, precision: Precision, digest: str) -> str | None:
    """The operator's baseline, where it still is the source of this hash."""
    if operator is None or precision not in operator.precisions:
        return None
    source = operator.baseline(precision)
    return source if digest_of(source) == digest else None


def _story_of_run(record: Json, runs: Path | None) -> Json | None:
    """What the journal of the record's run tells, where it is kept in `runs`. Raises BrokenStore."""
    if runs is None:
        return None
    try:
        story = story_of(find_run(runs, record["run"]).events())
    except RunNotFound:
        return None
    return story if tells_of(story, record) else None
