"""Runs of language models: nothing is paid for twice, limits hold, and a run can be played again."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cudamaster.agents.models.model import Reply, Request
from cudamaster.agents.models.recorded import RecordedModel
from cudamaster.errors import TeamFailed
from cudamaster.search.run import outcome_in
from cudamaster.search.teams import recorded
from cudamaster.store.runs import RunFolder
from mskernelbench.evaluation import Status
from tests.doubles import language_run, scripted_run
from tests.doubles.language_run import fenced, model_at, role_of, work
from tests.doubles.model_server import Act, Asked, ModelServer

CALLS = 13
"""Of an undisturbed run: 2 planners, 4 coders, 1 debugger, 2 + 4 profilers."""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with language_run.served() as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return scripted_run.folder(tmp_path)


def kernels(folder: RunFolder) -> dict[int, str]:
    """Source of each candidate, by number."""
    events, artefacts = folder.events(), folder.artefacts()
    return {e["number"]: artefacts.read(e["value"]) for e in events if e["event"] == "proposal"}


def test_a_wrong_kernel_is_mended_and_the_fastest_is_kept(
    server: ModelServer, folder: RunFolder, tmp_path: Path
) -> None:
    outcome = work(folder, tmp_path / "results", model_at(server))
    assert outcome.best is not None
    assert Path(outcome.best.kernel).read_text() == language_run.BETTER
    assert outcome.best.lesson == "It helped."
    assert [role_of(asked) for asked in server.asked].count("debugger") == 1
    statuses = [
        e["value"]["status"] for e in folder.events() if e["event"] == "evaluation" and e["number"] == 1
    ]
    assert statuses == [Status.WRONG, Status.CORRECT]


def test_tokens_and_cost_are_the_sum_of_all_calls(
    server: ModelServer, folder: RunFolder, tmp_path: Path
) -> None:
    outcome = work(folder, tmp_path / "results", model_at(server))
    assert len(server.asked) == CALLS
    assert outcome.tokens == CALLS * 120
    assert outcome.cost_usd == pytest.approx(CALLS * (60 * 1.0 + 40 * 0.1 + 20 * 10.0) / 1e6)


def test_every_question_is_kept_whole_beside_its_answer(
    server: ModelServer, folder: RunFolder, tmp_path: Path
) -> None:
    work(folder, tmp_path / "results", model_at(server))
    calls = [event for event in folder.events() if event["event"] == "call"]
    sent = sorted((asked.system, asked.last) for asked in server.asked)
    read = folder.artefacts().read
    assert sent == sorted((read(c["asked"]["system"]), read(c["asked"]["turns"][-1]["text"])) for c in calls)


@pytest.mark.parametrize("failing", range(CALLS))
def test_a_run_that_lost_its_model_goes_on_without_asking_anything_again(
    server: ModelServer, folder: RunFolder, tmp_path: Path, failing: int
) -> None:
    server.answer = failing_once(failing)
    with pytest.raises(TeamFailed, match=f"'cudamaster resume {folder.name}' goes on"):
        work(folder, tmp_path / "results", model_at(server))
    outcome = work(folder, tmp_path / "results", model_at(server))
    assert outcome.best is not None
    assert Path(outcome.best.kernel).read_text() == language_run.BETTER
    assert outcome.tokens == CALLS * 120
    assert len(server.asked) == CALLS + 1


def failing_once(number: int) -> Callable[[Asked], Act]:
    """Good answers, but for a refusal of the key in place of one of them."""
    asked: list[Asked] = []

    def answer(question: Asked) -> Act:
        asked.append(question)
        return Act(status=401) if len(asked) == number + 1 else language_run.answer(question)

    return answer


@pytest.mark.parametrize("search", ["refine", "evolve"])
def test_a_recorded_run_plays_again_without_a_server(
    server: ModelServer, folder: RunFolder, tmp_path: Path, search: str
) -> None:
    work(scripted_run.folder(tmp_path), tmp_path / "r", model_at(server))  # it leaves lessons to recall
    first = work(folder, tmp_path / "results", model_at(server), search=search)
    asked = len(server.asked)
    again = scripted_run.folder(tmp_path / "again")
    recording = RecordedModel("replay", recorded(folder.path))
    replayed = work(again, tmp_path / "other", recording, search=search)
    assert kernels(again) == kernels(folder)
    assert (replayed.best and replayed.best.kernel_sha256) == (first.best and first.best.kernel_sha256)
    assert len(server.asked) == asked
    assert replayed.cost_usd == 0.0


def test_no_call_is_made_that_could_break_the_token_limit(
    server: ModelServer, folder: RunFolder, tmp_path: Path
) -> None:
    outcome = work(folder, tmp_path / "results", model_at(server), max_tokens=6000)
    assert outcome.stopped_by == "tokens"
    assert 0 < outcome.tokens <= 6000
    assert len(server.asked) < CALLS


def test_no_call_is_made_that_could_break_the_money_limit(
    server: ModelServer, folder: RunFolder, tmp_path: Path
) -> None:
    outcome = work(folder, tmp_path / "results", model_at(server), max_usd=0.015)
    assert outcome.stopped_by == "usd"
    assert outcome.cost_usd is not None
    assert 0 < outcome.cost_usd <= 0.015


def test_a_limit_below_one_call_keeps_the_baseline(
    server: ModelServer, folder: RunFolder, tmp_path: Path
) -> None:
    outcome = work(folder, tmp_path / "results", model_at(server), max_tokens=10)
    assert (outcome.stopped_by, outcome.best, outcome.tokens) == ("tokens", None, 0)
    assert outcome.baseline is not None
    assert not server.asked


@dataclass
class MeetingModel:
    """Answers a coder or a profiler only when as many are asked at once as there are candidates."""

    model: RecordedModel
    meeting: threading.Barrier

    name = "meeting"
    price = None

    def ask(self, request: Request) -> Reply:
        if request.key.startswith(("proposal/", "lesson/")):
            self.meeting.wait(20)
        return self.model.ask(request)


def test_a_round_s_candidates_are_asked_for_at_once_however_few_are_judged_at_once(
    server: ModelServer, folder: RunFolder, tmp_path: Path
) -> None:
    server.answer = lambda a: Act(fenced("json", FOUR_PLANS)) if role_of(a) == "planner" else four_kernels(a)
    work(folder, tmp_path / "r", model_at(server), rounds=1, candidates=4)
    meeting = MeetingModel(RecordedModel("replay", recorded(folder.path)), threading.Barrier(4))
    again = scripted_run.folder(tmp_path / "again")
    outcome = work(again, tmp_path / "other", meeting, rounds=1, candidates=4, parallel=1)
    assert (outcome.rounds, outcome.candidates) == (1, 4)


FOUR_PLANS = json.dumps(
    {"plans": [{"strategy": f"s{i}", "change": f"change {i}", "reason": "why"} for i in range(4)]}
)


def four_kernels(asked: Asked) -> Act:
    """A right kernel for each plan; other roles as ever."""
    if role_of(asked) != "coder":
        return language_run.answer(asked)
    number = next(i for i in range(4) if f"change {i}" in asked.task)
    return Act(fenced("cuda", f"{language_run.GOOD}// {number}\n"))


def test_an_answer_without_a_kernel_is_asked_for_once_more(
    server: ModelServer, folder: RunFolder, tmp_path: Path
) -> None:
    server.answer = chatty_coder(1)
    outcome = work(folder, tmp_path / "results", model_at(server))
    assert outcome.best is not None
    (again,) = [a for a in server.asked if "cannot be used" in a.last]
    assert "0 ```cuda blocks" in again.last
    assert again.body["messages"][-2]["role"] == "assistant"


def test_a_coder_without_a_kernel_is_a_candidate_that_failed(
    server: ModelServer, folder: RunFolder, tmp_path: Path
) -> None:
    server.answer = chatty_coder(99)
    outcome = work(folder, tmp_path / "results", model_at(server))
    verdicts = [e["value"] for e in folder.events() if e["event"] == "evaluation" and e["number"]]
    assert outcome.best is None
    assert {v["status"] for v in verdicts} == {Status.BUILD_FAILED}
    assert "coder's answer cannot be used" in verdicts[0]["reason"]
    assert "debugger" not in {role_of(asked) for asked in server.asked}


def chatty_coder(times: int) -> Callable[[Asked], Act]:
    """A coder that says nothing useful so many times."""
    said: list[str] = []

    def answer(asked: Asked) -> Act:
        if role_of(asked) == "coder" and len(said) < times:
            said.append("x")
            return Act("Here is how I would go about it.")
        return language_run.answer(asked)

    return answer


def test_a_planner_without_a_plan_ends_the_run_with_what_it_has(
    server: ModelServer, folder: RunFolder, tmp_path: Path
) -> None:
    server.answer = lambda a: Act("no idea") if role_of(a) == "planner" else language_run.answer(a)
    outcome = work(folder, tmp_path / "results", model_at(server))
    assert (outcome.stopped_by, outcome.candidates) == ("no_plan", 0)
    (said,) = [event["value"] for event in folder.events() if event["event"] == "unplanned"]
    assert said.startswith("the planner's answer cannot be used: the reply's JSON is not valid")
    assert said.endswith("it begins 'no idea'")
    assert outcome_in(folder) is not None
