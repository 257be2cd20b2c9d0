"""A run on a scripted team and judge."""

import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from cudamaster.search.collaborators import Collaborators
from cudamaster.search.run import Run
from cudamaster.search.scripted import ScriptedJudge, ScriptedTeam, verdict_line
from cudamaster.search.settings import Settings
from cudamaster.store.runs import RunFolder, new_run
from cudamaster.toolchain.spec import DeviceSpec
from mskernelbench.evaluation import Status
from mskernelbench.operator import Precision
from mskernelbench.operators.matrix_mul.spec import OPERATOR

SPEC = DeviceSpec(
    name="h200",
    title="NVIDIA H200",
    architecture="sm_90a",
    sm_count=132,
    clock_hz=1.98e9,
    fp32_flops=67e12,
    bf16_tensor_flops=989e12,
    tf32_tensor_flops=494e12,
    fp64_flops=34e12,
    dram_bytes_per_s=4.8e12,
    l2_bytes_per_s=1e13,
    dram_bytes=141 << 30,
    l2_bytes=50 << 20,
    shared_bytes_per_sm=228 << 10,
    shared_bytes_per_block=227 << 10,
    registers_per_sm=65536,
    warps_per_sm=64,
    blocks_per_sm=32,
)


def source(name: str, status: Status = Status.CORRECT, speedup: float = 1.0, attainment: float = 0.1) -> str:
    """A source of this name that is judged so."""
    return verdict_line(status, speedup, attainment) + f"// {name}\n"


GOOD = source("good", speedup=1.5, attainment=0.2)
WRONG = source("wrong", Status.WRONG)
MENDED = source("mended", speedup=1.2)
BROKEN = source("broken", Status.BUILD_FAILED)
BETTER = source("better", speedup=2.5, attainment=0.4)
SLOW = source("slow", speedup=0.5)
FRAGILE = source("fragile", speedup=3.0, attainment=0.5)
"""The fastest by the rounds' verdicts, wrong on all workloads."""
ROUNDS = ((GOOD, WRONG, BROKEN), (BETTER, SLOW), (FRAGILE,))


def team(rounds: Sequence[Sequence[str]] = ROUNDS, seconds: float = 0.0) -> ScriptedTeam:
    """The scripted team, mending WRONG into MENDED."""
    return ScriptedTeam(rounds, {WRONG: MENDED}, seconds)


def judge(seconds: float = 0.0) -> ScriptedJudge:
    """The scripted judge, refusing FRAGILE on all workloads."""
    return ScriptedJudge(full_verdicts={FRAGILE: WRONG}, seconds=seconds)


def settings(results: Path, **changes: object) -> Settings:
    """Five rounds of three, two at once."""
    asked: dict[str, object] = {
        "operator": "matrix_mul",
        "precision": "fp32",
        "device": "virtual:h200",
        "model": "scripted",
        "rounds": 5,
        "candidates": 3,
        "results": str(results),
    }
    return Settings(**(asked | changes))  # type: ignore[arg-type]


def collaborators(team: ScriptedTeam, judge: ScriptedJudge) -> Collaborators:
    """Everything else a run needs, made up."""
    return Collaborators(
        operator=OPERATOR,
        precision=Precision.FP32,
        entry="matrix_mul",
        device="virtual:h200",
        spec=SPEC,
        clock="modelled",
        clock_version="model 1",
        team=team,
        judge=judge,
        versions={"cudamaster": "0"},
    )


def run(
    folder: RunFolder,
    results: Path,
    team: ScriptedTeam,
    judge: ScriptedJudge,
    stop: threading.Event | None = None,
    **changes: object,
) -> Run:
    """A run on these doubles."""
    asked = settings(results, **changes)
    return Run(folder, asked, collaborators(team, judge), "cudamaster optimize", stop or threading.Event())


def folder(root: Path) -> RunFolder:
    """A new run's folder."""
    return new_run(root / "runs", "matrix_mul", "fp32", datetime(2026, 1, 1, tzinfo=UTC))
