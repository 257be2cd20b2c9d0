import json
import math
from pathlib import Path

from cudamaster.agents.nouns import Plan
from cudamaster.search.outcome import Best, Outcome
from cudamaster.search.settings import Settings
from cudamaster.store.codec import decode, encode
from cudamaster.toolchain.profile import HotLine, KernelProfile, Launch, Profile
from cudamaster.toolchain.timing import Clock
from mskernelbench.evaluation import Evaluation, Interval, Status, WorkloadResult

EVALUATION = Evaluation(
    operator="softmax",
    precision="fp32",
    entry="softmax",
    device="virtual:h200",
    clock="modelled",
    status=Status.CORRECT,
    reason="every check passed",
    seed=3,
    speedup=Interval(2.0, 1.9, 2.1),
    paper_score=2.2,
    attainment=0.3,
    workloads=(
        WorkloadResult("check", {"N": 3, "alpha": 0.5}, error_ratio=math.inf),
        WorkloadResult("paper", {"N": 4}, 0.5, 2.0, 1.0, Interval(2.0, 1.9, 2.1), 0.3, "memory", 64.0),
    ),
)
PROFILE = Profile(
    Clock.MODELLED,
    (
        KernelProfile(
            "k",
            Launch((1, 2, 3), (32, 1, 1), 0),
            2,
            0.5,
            {"m": 1.5},
            "memory",
            "DRAM",
            (HotLine(3, 0.5, "x"),),
        ),
    ),
)


def through_json(value: object) -> object:
    return json.loads(json.dumps(encode(value), allow_nan=False))


def test_an_evaluation_survives_json_without_loss() -> None:
    assert decode(Evaluation, through_json(EVALUATION)) == EVALUATION


def test_a_profile_survives_json_without_loss() -> None:
    assert decode(Profile, through_json(PROFILE)) == PROFILE


def test_an_outcome_survives_json_without_loss() -> None:
    settings = Settings("softmax", "fp32", "virtual:h200", "builtin", 4, 3, shapes=("N=4",))
    best = Best(1, 1, Plan("s", "c", "r", parameters={"tile": 8}), "l", "k.cu", "ab", EVALUATION)
    outcome = Outcome("r", "f", settings, "modelled", 1, 3, "rounds", EVALUATION, best, 1.5)

    assert decode(Outcome, through_json(outcome)) == outcome


def test_a_missing_field_takes_its_default() -> None:
    """An older version's value stays readable when a field was added."""
    value = {"strategy": "s", "change": "c", "reason": "r"}

    assert decode(Plan, value) == Plan("s", "c", "r")


def test_paths_are_not_among_the_encoded_types() -> None:
    assert encode(Path("x")) == Path("x")
