"""What came of a run: the baseline, the best kernel with its verdict, and where it lies."""

from dataclasses import dataclass

from cudamaster.agents.nouns import Plan
from cudamaster.search.settings import Settings
from mskernelbench.evaluation import Evaluation, Interval

INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Best:
    """The fastest kernel that the referee holds correct."""

    number: int
    round: int
    plan: Plan
    lesson: str
    kernel: str
    """Path of the source."""
    kernel_sha256: str
    evaluation: Evaluation
    """On every workload, but for an interrupted run: there, on the few of the rounds."""


@dataclass(frozen=True, slots=True)
class Known:
    """The kernel that the results had before a run."""

    speedup: Interval
    same: bool
    """Whether the run found the very same source."""
    judged_anew: bool
    """Whether its record is of another model version or baseline, so that it was judged again."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run, finished or interrupted."""

    run: str
    folder: str
    """Path of the run's folder."""
    settings: Settings
    clock: str
    rounds: int
    """Rounds concluded."""
    candidates: int
    """Candidates judged in them."""
    stopped_by: str
    """`attainment`, `rounds`, `flat`, `minutes`, `usd`, `tokens`, `nothing_left`, `no_plan` or
    `interrupted`."""
    baseline: Evaluation | None
    """The baseline's own verdict; None where the run was interrupted before it."""
    best: Best | None
    """None where nothing beat the baseline."""
    seconds: float
    """Wall time worked, over all sessions."""
    record: str | None = None
    """Path of the record that now holds the best kernel known for this operator, precision and device."""
    stored: bool = False
    """Whether this run's best is that record."""
    before: Known | None = None
    """What was stored there before."""
    fastest: float | None = None
    """Speedup of the fastest correct candidate on the rounds' workloads; None where none was correct."""
    cost_usd: float | None = 0.0
    """Of language models; None where a call's price is not known."""
    tokens: int = 0
    """Read and written by language models."""
