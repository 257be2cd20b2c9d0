"""What the loop costs a round beside models and verdicts, and what four candidates cost in place of one.

Overhead: rounds of K candidates whose team and judge answer at once; what is left is the graph, its
checkpoints and the journal, each event of which is on the disk before the next begins. A busy machine only
adds to it: the quickest round counts, and the processor's time over all of them. With prompts: the same
with a team of language models, whose prompts are rendered and kept.

Waiting: a model that takes its time. Its answers are waited for side by side, so that a round of four takes
little longer than a round of one.
"""

import json
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from cudamaster.agents.language.team import LanguageTeam
from cudamaster.agents.models.model import Reply, Request
from cudamaster.agents.role import all_roles
from cudamaster.agents.team import Team
from cudamaster.search.collaborators import Collaborators
from cudamaster.search.run import Run
from cudamaster.search.scripted import ScriptedJudge, ScriptedTeam, verdict_line
from cudamaster.search.settings import Settings
from cudamaster.store.codec import Json
from cudamaster.store.journal import utc_now
from cudamaster.store.runs import new_run
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from mskernelbench.catalog import find_operator
from mskernelbench.evaluation import Status
from mskernelbench.operator import Precision

PROMISED_OVERHEAD_MS = 50.0
PROMISED_RATIO = 1.4
ROUNDS = 12
CANDIDATES = 4
ANSWER_SECONDS = 0.5
"""A tenth of a usual answer's five."""


@dataclass(frozen=True)
class ScriptedModel:
    """Answers every role after a while; no two of its kernels are alike."""

    seconds: float
    candidates: int

    name = "scripted"
    price = None

    def ask(self, request: Request) -> Reply:
        """The role's answer."""
        time.sleep(self.seconds)
        if request.role == "planner":
            plans = [{"strategy": f"s{i}", "change": "c", "reason": "r"} for i in range(self.candidates)]
            return Reply(json.dumps({"plans": plans}), self.name)
        if request.role == "coder":
            verdict = verdict_line(Status.CORRECT, 1.5, 0.2)
            return Reply(f'```cuda\n{verdict}// {request.key}\nextern "C" void f() {{}}\n```', self.name)
        reading = {"bound": "memory", "sentence": "s", "lesson": f"lesson of {request.key}"}
        return Reply(json.dumps(reading), self.name)


def models(candidates: int, seconds: float = 0.0) -> Team:
    """A team of language models."""
    return LanguageTeam("scripted", dict.fromkeys(all_roles(), ScriptedModel(seconds, candidates)))


def script(candidates: int) -> Team:
    """A team that knows its kernels by heart."""
    verdict = verdict_line(Status.CORRECT, 1.5, 0.2)
    return ScriptedTeam(
        [[f"{verdict}// {number} {i}\n" for i in range(candidates)] for number in range(ROUNDS)]
    )


def run(folder: Path, team: Team, rounds: int, candidates: int) -> list[float]:
    """Wall milliseconds of each round."""
    operator, _ = find_operator("matrix_mul")
    settings = Settings(
        operator=operator.name, precision="fp32", device="virtual:h200", model=team.name, rounds=rounds,
        candidates=candidates, results=str(folder / "results"), parallel=candidates,
    )  # fmt: skip
    means = Collaborators(
        operator=operator, precision=Precision.FP32, entry="matrix_mul", device="virtual:h200",
        spec=load_gpu("h200").device, clock="modelled", clock_version="none", judge=ScriptedJudge(),
        versions={}, team=team,
    )  # fmt: skip
    ends: list[float] = []

    def note(event: Json) -> None:
        if event["event"] == "rewards" or (event["event"] == "profile" and event["number"] == 0):
            ends.append(time.perf_counter())

    Run(new_run(folder, "matrix_mul", "fp32", utc_now()), settings, means, "", threading.Event()).work([note])
    return [(later - earlier) * 1e3 for earlier, later in pairwise(ends)]


def measured(team: Team, rounds: int, candidates: int) -> tuple[list[float], float]:
    """Wall milliseconds of a run's rounds, and processor milliseconds a round."""
    with tempfile.TemporaryDirectory() as folder:
        before = time.process_time()
        wall = run(Path(folder), team, rounds, candidates)
        return wall, (time.process_time() - before) * 1e3 / rounds


def overhead(name: str, team: Team) -> float:
    """Print what a round costs where nobody is waited for; the larger of its two figures."""
    wall, processor = measured(team, ROUNDS, CANDIDATES)
    spread = f"quickest {min(wall):.0f}, median {median(wall):.0f}, last {wall[-1]:.0f}"
    print(f"{name:28} {spread} ms wall; {processor:.0f} ms processor")
    return max(min(wall), processor)


def waiting(candidates: int) -> float:
    """Print what a round takes where models are waited for; its milliseconds."""
    wall, _ = measured(models(candidates, ANSWER_SECONDS), 3, candidates)
    name = f"a round of {candidates}, {ANSWER_SECONDS} s an answer"
    print(f"{name:28} {median(wall):.0f} ms wall")
    return median(wall)


def main() -> int:
    measured(models(1), 1, 1)  # imports
    milliseconds = overhead(f"overhead, a round of {CANDIDATES}", script(CANDIDATES))
    overhead("the same with prompts", models(CANDIDATES))
    ratio, share = 1 / waiting(1) * waiting(CANDIDATES), milliseconds / PROMISED_OVERHEAD_MS
    print(f"{ratio:.2f}x the time of one (promised {PROMISED_RATIO}); {share:.2f} of the overhead promised")
    return 0 if milliseconds <= PROMISED_OVERHEAD_MS and ratio <= PROMISED_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
