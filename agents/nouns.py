"""What a team of agents sees and says: situation in, plan, source and lesson out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cudamaster.toolchain.profile import Profile
from cudamaster.toolchain.spec import DeviceSpec
from mskernelbench.evaluation import Evaluation
from mskernelbench.operator import Operator, Precision


@dataclass(frozen=True, slots=True)
class Plan:
    """The one change the coder is asked to make, with its reason from the profile."""

    strategy: str
    """Name of the strategy it follows; the bandit's arm."""
    change: str
    """One sentence: what to change."""
    reason: str
    """One sentence: which metric or bound it answers."""
    predicted_metric: str | None = None
    """The metric it should move, by its name in `toolchain.metrics`."""
    predicted_direction: str | None = None
    """`lower` or `higher`."""
    parameters: Mapping[str, int] = field(default_factory=dict)
    """Tuning parameters of the strategy's template, by name."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One candidate and what came of it."""

    number: int
    """0 is the baseline; candidates count from 1 over the whole run."""
    round: int
    plan: Plan
    source: str
    evaluation: Evaluation
    reward: float
    profile: Profile | None = None
    """Of the heaviest timed workload; only for correct candidates."""
    lesson: str = ""
    """What the profiler concluded: prediction against outcome."""
    parent: int = 0
    """Number of the attempt it started from."""
    island: int = 0
    """Where the search keeps it: 0 is common to all, others are apart (`search/methods/evolve.py`)."""


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything a role may look at when it is asked."""

    operator: Operator
    precision: Precision
    entry: str
    spec: DeviceSpec
    baseline: Attempt
    history: tuple[Attempt, ...]
    """The judged candidates that the roles may look at, oldest first, without the baseline."""
    round: int
    parent_number: int | None = None
    """The attempt that the next candidate starts from; None for the best."""
    lessons: tuple[str, ...] = ()
    """What earlier runs taught, the most fitting first."""

    @property
    def best(self) -> Attempt:
        """The fastest correct attempt so far, the baseline where nothing beats it; derived, never stored."""
        correct = [a for a in self.history if a.evaluation.correct and a.evaluation.speedup]
        fastest = max(correct, key=lambda a: a.evaluation.speedup.low, default=None)  # type: ignore[union-attr]
        if fastest is None or fastest.evaluation.speedup is None or fastest.evaluation.speedup.low <= 1.0:
            return self.baseline
        return fastest

    @property
    def parent(self) -> Attempt:
        """The attempt that the next candidate starts from."""
        if self.parent_number is None:
            return self.best
        return next(a for a in (self.baseline, *self.history) if a.number == self.parent_number)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The profiler's reading of one profile."""

    bound: str
    """`memory`, `compute` or `latency`."""
    sentence: str
    """The binding resource, the evidence, the runner-up."""
    metrics: Mapping[str, float]
    """The metrics that matter for this bound."""
