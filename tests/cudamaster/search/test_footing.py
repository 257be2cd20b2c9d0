"""A run without a compiler that works, or a baseline that is right, stops with what is at fault."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from cudamaster.cli.boundary import sentence_and_code
from cudamaster.search.outcome import Outcome
from cudamaster.search.scripted import ScriptedJudge, ScriptedTeam, verdict_line
from cudamaster.toolchain.errors import EnvironmentLacks
from mskernelbench.errors import BaselineBroken, BaselineLate
from mskernelbench.evaluation import Evaluation, Status
from tests.doubles import scripted_run
from tests.doubles.scripted_run import BETTER, BROKEN, WRONG, source

ALL_BROKEN = [[BROKEN, source("another", Status.BUILD_FAILED)], [BETTER]]


@dataclass(slots=True)
class WithoutCompiler(ScriptedJudge):
    """Builds the baseline, of which it has an earlier build, and nothing else."""

    def quick(self, source: str) -> Evaluation:
        """What is written in the baseline; other sources do not build."""
        return ScriptedJudge.quick(self, source if source == self.baseline_source else BROKEN)


def work(tmp_path: Path, team: ScriptedTeam, judge: ScriptedJudge) -> Outcome:
    folder = scripted_run.folder(tmp_path)
    return scripted_run.run(folder, tmp_path / "out", team, judge, None, candidates=2).work()


def test_a_baseline_that_does_not_build_is_the_machines_fault_and_no_model_is_asked(tmp_path: Path) -> None:
    team = scripted_run.team()
    with pytest.raises(EnvironmentLacks, match="not even the baseline of matrix_mul builds"):
        work(tmp_path, team, ScriptedJudge(BROKEN))

    assert team.asked == []


def test_a_baseline_that_is_refused_otherwise_is_ours(tmp_path: Path) -> None:
    with pytest.raises(BaselineBroken, match="our baseline of matrix_mul is wrong on virtual:h200"):
        work(tmp_path, scripted_run.team(), ScriptedJudge(WRONG))


def test_a_baseline_that_does_not_end_in_time_is_this_machines_fault_for_now(tmp_path: Path) -> None:
    with pytest.raises(
        BaselineLate, match=r"is too slow for it now .*; try again when less else runs"
    ) as caught:
        work(tmp_path, scripted_run.team(), ScriptedJudge(verdict_line(Status.TIMED_OUT)))

    assert sentence_and_code(caught.value) == (str(caught.value), 3)


def test_a_round_that_does_not_build_asks_whether_the_compiler_still_works(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentLacks, match="compiler or this machine is at fault"):
        work(tmp_path, scripted_run.team(ALL_BROKEN), WithoutCompiler())


def test_where_the_compiler_works_a_round_that_does_not_build_is_the_teams_fault(tmp_path: Path) -> None:
    outcome = work(tmp_path, scripted_run.team(ALL_BROKEN), scripted_run.judge())

    assert outcome.best is not None
    assert Path(outcome.best.kernel).read_text() == BETTER
