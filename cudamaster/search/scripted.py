"""A team and a judge that follow a script: the search without a device or a model, for tests.

A scripted source carries its verdict in its first line, as `// verdict: STATUS [SPEEDUP ATTAINMENT]`.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cudamaster.agents.nouns import Attempt, Diagnosis, Plan, Situation
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.profile import KernelProfile, Launch, Profile
from cudamaster.toolchain.timing import Clock
from mskernelbench.evaluation import Evaluation, Interval, Status, WorkloadResult
from mskernelbench.operator import Workload

MARK = "// verdict: "


def verdict_line(status: Status, speedup: float = 1.0, attainment: float = 0.1) -> str:
    """The first line of a source that is to be judged so."""
    figures = f" {speedup} {attainment}" if status is Status.CORRECT else ""
    return f"{MARK}{status}{figures}\n"


@dataclass(slots=True)
class ScriptedJudge:
    """Believes what a source says of itself."""

    baseline_source: str = verdict_line(Status.CORRECT)
    full_verdicts: Mapping[str, str] = field(default_factory=dict)
    """Sources whose full verdict is that of another source."""
    seconds: float = 0.0
    """Wall time a verdict takes."""
    operator: str = "vector_add"
    """What the verdicts are about; its entry has the same name."""
    precision: str = "fp32"
    shape: Mapping[str, int | float] = field(default_factory=lambda: {"N": 1024})
    """Of the one workload."""
    asked: list[str] = field(default_factory=list)
    """Every source judged, with `quick `, `full ` or `profile ` before it."""

    def baseline(self) -> str:
        """The baseline's source."""
        return self.baseline_source

    def quick(self, source: str) -> Evaluation:
        """The verdict written in the source."""
        self._take_time("quick", source)
        return self._evaluation(source)

    def full(self, source: str) -> Evaluation:
        """The verdict written in the source, or in the one that stands for it."""
        self._take_time("full", source)
        return self._evaluation(self.full_verdicts.get(source, source))

    def digests(self, source: str) -> Mapping[str, str]:
        """Nothing is compiled."""
        return {}

    def profile(self, source: str) -> Profile | RunFailure:
        """One kernel whose time is a millisecond over its speedup."""
        self._take_time("profile", source)
        speedup = self._evaluation(source).speedup
        if speedup is None:
            return RunFailure(FailureKind.LAUNCH_FAILED, "the script says so")
        launch = Launch((1, 1, 1), (32, 1, 1), 0)
        kernel = KernelProfile(
            "scripted", launch, 1, 1.0 / speedup.centre, {}, "memory", "DRAM, by the script", ()
        )
        return Profile(Clock.MODELLED, (kernel,))

    def profiled(self) -> Workload:
        """A workload without sizes."""
        return Workload("real", {})

    def _take_time(self, verb: str, source: str) -> None:
        self.asked.append(f"{verb} {source}")
        time.sleep(self.seconds)

    def _evaluation(self, source: str) -> Evaluation:
        word, *figures = source.splitlines()[0].removeprefix(MARK).split()
        status = Status(word)
        speedup, attainment = (float(f) for f in figures) if figures else (None, None)
        interval = Interval(speedup, speedup * 0.99, speedup * 1.01) if speedup else None
        row = WorkloadResult(
            "paper", self.shape, 0.5, 1.0, 1.0 / (speedup or 1.0), interval, attainment, "memory"
        )
        return Evaluation(
            operator=self.operator,
            precision=self.precision,
            entry=self.operator,
            device="virtual:h200",
            clock="modelled",
            status=status,
            reason="the script says so",
            seed=0,
            guard="scripted_guard" if status is Status.CHEATED else None,
            rule="compiler" if status is Status.BUILD_FAILED else None,
            speedup=interval,
            attainment=attainment,
            workloads=(row,) if interval else (),
        )


@dataclass(slots=True)
class ScriptedTeam:
    """Plans rounds from a list of sources, and mends a refused source by a table."""

    rounds: Sequence[Sequence[str]]
    """Sources of each round."""
    mends: Mapping[str, str] = field(default_factory=dict)
    """What the debugger makes of a refused source; a source that is missing is given up."""
    seconds: float = 0.0
    """Wall time an answer takes."""
    name: str = "scripted"
    asked: list[str] = field(default_factory=list)
    """Every question, in order."""

    def diagnose(self, situation: Situation, profile: Profile) -> Diagnosis:
        """What the scripted profile says."""
        return Diagnosis(profile.kernels[0].bound, profile.kernels[0].bound_by, {})

    def plan(self, situation: Situation, count: int, rng: np.random.Generator) -> list[Plan]:
        """One plan a source of this round; none when the script is at its end."""
        self._take_time(f"plan {situation.round}")
        sources = self.rounds[situation.round - 1] if situation.round <= len(self.rounds) else ()
        number = situation.round
        return [
            Plan(f"strategy_{i}", f"change {i} of round {number}", "the script", parameters={"index": i})
            for i in range(min(count, len(sources)))
        ]

    def write(self, situation: Situation, plan: Plan) -> str:
        """The source that the script has for this plan."""
        self._take_time(f"write {situation.round} {plan.parameters['index']}")
        return self.rounds[situation.round - 1][plan.parameters["index"]]

    def debug(self, situation: Situation, plan: Plan, source: str, evaluation: Evaluation) -> str | None:
        """The mend that the script has for this source."""
        self._take_time(f"debug {source}")
        return self.mends.get(source)

    def conclude(self, situation: Situation, attempt: Attempt) -> str:
        """The status, as a sentence."""
        return f"candidate {attempt.number} was {attempt.evaluation.status}"

    def _take_time(self, question: str) -> None:
        self.asked.append(question)
        time.sleep(self.seconds)
