"""A suite on scripted teams and judges, one script a task; as a program, a slow one that is to be killed."""

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cudamaster.cli.boundary import exit_code_of
from cudamaster.search.collaborators import Collaborators
from cudamaster.search.scripted import ScriptedJudge
from cudamaster.search.settings import Settings
from mskernelbench.catalog import find_operator, find_precision
from mskernelbench.evaluation import Status
from tests.doubles import scripted_run
from tests.doubles.scripted_opening import ScriptedOpening
from tests.doubles.scripted_run import source

Rounds = Sequence[Sequence[str]]
ALIKE = source("alike", speedup=1.005)
"""Held faster by the rounds, and no faster than the baseline on all workloads."""
RIGHT_BUT_SLOW = [[source("slow", speedup=0.5)]]
WRONG_ONLY = [[source("hopeless", Status.WRONG)]]
FASTER = [[source("good", speedup=2.5, attainment=0.4)]]


@dataclass
class BenchOpening(ScriptedOpening):
    """Opens a team and a judge for each task."""

    scripts: Mapping[str, Rounds] = field(default_factory=dict)
    """By operator; FASTER where there is none."""
    faults: Mapping[str, Exception] = field(default_factory=dict)
    """What opening the means of an operator raises."""
    full_verdicts: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    clock_version: str = "model 1"
    begun: list[tuple[str, str]] = field(default_factory=list)
    """Every task whose means were opened."""

    def collaborators(self, settings: Settings, device: Any) -> Collaborators:
        """The scripted team and judge of the task."""
        self.begun.append((settings.operator, settings.precision))
        if settings.operator in self.faults:
            raise self.faults[settings.operator]
        rounds = self.scripts.get(settings.operator, FASTER)
        operator = find_operator(settings.operator).operator
        shape = next(workload.shape for workload in operator.workloads if workload.set == "paper")
        judge = ScriptedJudge(
            full_verdicts=self.full_verdicts,
            seconds=self.seconds,
            operator=operator.name,
            precision=settings.precision,
            shape=shape,
        )
        return dataclasses.replace(
            scripted_run.collaborators(scripted_run.team(rounds, self.seconds), judge),
            operator=operator,
            precision=find_precision(settings.precision),
            entry=settings.operator,
            device=device.name,
            clock_version=self.clock_version,
        )


def arguments(folder: Path, *more: str, operators: str = "relu,elu,gelu") -> list[str]:
    """The command line of a suite of three tasks, whose files lie in `folder`."""
    where = ["--out", str(folder / "bench.json"), "--runs-dir", str(folder / "runs")]
    stored = ["--results", str(folder / "results")]
    asked = ["--operators", operators, "--precision", "fp32", "--model", "builtin", "--jobs", "2"]
    return ["bench", *asked, *where, *stored, *more]


if __name__ == "__main__":
    opening = BenchOpening(seconds=float(sys.argv[2]))
    code = exit_code_of(arguments(Path(sys.argv[1]), "--jobs", "1"), opening)
    print(*(f"{operator}:{precision}" for operator, precision in opening.begun))
    sys.exit(code)
