"""What a later run is told of an earlier one, and that it is told the same in every session."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cudamaster.errors import TeamFailed
from cudamaster.store.codec import Json
from cudamaster.store.lessons import FILE, Lesson, Lessons
from cudamaster.store.runs import RunFolder
from mskernelbench.operators.matrix_mul.spec import OPERATOR
from tests.doubles import language_run, scripted_run
from tests.doubles.language_run import model_at, role_of, work
from tests.doubles.model_server import Act, Asked, ModelServer

HEADING = "## Lessons of earlier runs"
SAYS = "fp32 on virtual:h200, from a memory-bound kernel: third reached 2.50x the baseline. It helped."


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with language_run.served() as running:
        yield running


def shown(server: ModelServer) -> dict[str, int]:
    """How many questions to each role told of earlier runs."""
    told = [role_of(asked) for asked in server.asked if HEADING in asked.task]
    return {role: told.count(role) for role in set(told)}


def kept(folder: RunFolder) -> list[int]:
    """Numbers of the candidates whose lessons a later run could be told."""
    found = Lessons(folder.path.parent / FILE).fitting(
        operator="matrix_mul", family=str(OPERATOR.category), precision="fp32", device="virtual:h200",
        bound="memory", run="later", most=99,
    )  # fmt: skip
    return sorted(lesson.number for lesson in found)


def test_planner_and_coder_of_a_later_run_are_told_what_an_earlier_one_learnt(
    server: ModelServer, tmp_path: Path
) -> None:
    work(scripted_run.folder(tmp_path), tmp_path / "r", model_at(server))
    assert shown(server) == {}
    work(scripted_run.folder(tmp_path), tmp_path / "r", model_at(server))
    assert shown(server) == {"planner": 2, "coder": 4}
    assert any(SAYS in asked.task for asked in server.asked)


def test_a_run_that_wants_no_lessons_shows_none_and_keeps_none(server: ModelServer, tmp_path: Path) -> None:
    work(scripted_run.folder(tmp_path), tmp_path / "r", model_at(server), lessons=False)
    assert not (tmp_path / "runs" / FILE).exists()
    work(scripted_run.folder(tmp_path), tmp_path / "r", model_at(server))
    work(scripted_run.folder(tmp_path), tmp_path / "r", model_at(server), lessons=False)
    assert shown(server) == {}


def test_refused_candidates_leave_no_lesson(server: ModelServer, tmp_path: Path) -> None:
    def wrong(asked: Asked) -> Act:
        text = language_run.fenced("cuda", language_run.WRONG)
        return Act(text) if role_of(asked) in ("coder", "debugger") else language_run.answer(asked)

    server.answer = wrong
    work(scripted_run.folder(tmp_path), tmp_path / "r", model_at(server))
    server.answer = language_run.answer
    work(scripted_run.folder(tmp_path), tmp_path / "r", model_at(server))
    assert shown(server) == {}


def test_a_candidate_that_every_workload_refuses_leaves_no_lesson(tmp_path: Path) -> None:
    folder = scripted_run.folder(tmp_path)
    scripted_run.run(folder, tmp_path / "r", scripted_run.team(), scripted_run.judge()).work()
    rewards = [row for e in folder.events() if e["event"] == "rewards" for row in e["value"]]
    assert max(rewards, key=lambda row: row["reward"])["number"] == 6, "the rounds hold it the best"
    assert kept(folder) == [1, 2, 4, 5]


def test_nor_does_it_where_the_run_was_interrupted_after_that_verdict(tmp_path: Path) -> None:
    folder, stop = scripted_run.folder(tmp_path), threading.Event()

    def stop_after_a_refusal(event: Json) -> None:
        if event["event"] == "champion":
            stop.set()

    team, judge = scripted_run.team(), scripted_run.judge()
    first = scripted_run.run(folder, tmp_path / "r", team, judge, stop).work([stop_after_a_refusal])
    assert first.stopped_by == "interrupted"
    assert not (folder.path.parent / FILE).exists()
    scripted_run.run(folder, tmp_path / "r", team, judge).work()
    assert kept(folder) == [1, 2, 4, 5]


OLD = Lesson(
    "?", 6, "matrix_mul", str(OPERATOR.category), "fp32", "virtual:h200", "memory", "tile",
    9.0, 9.0, "Fragile.",
)  # fmt: skip
"""Of the candidate that the end refuses."""


def test_a_lesson_that_an_earlier_version_kept_of_a_refused_candidate_is_taken_back(
    server: ModelServer, tmp_path: Path
) -> None:
    folder, lessons = scripted_run.folder(tmp_path), Lessons(tmp_path / "runs" / FILE)
    scripted_run.run(folder, tmp_path / "r", scripted_run.team(), scripted_run.judge()).work()
    lessons.keep([replace(OLD, run=folder.name)])
    work(scripted_run.folder(tmp_path), tmp_path / "r", model_at(server))

    assert any("candidate 4 was correct" in asked.task for asked in server.asked)
    assert not any("Fragile." in asked.task for asked in server.asked)
    assert 6 not in kept(folder)


def test_a_lesson_whose_run_is_gone_or_cannot_be_read_stays(server: ModelServer, tmp_path: Path) -> None:
    (tmp_path / "runs" / "broken").mkdir(parents=True)
    (tmp_path / "runs" / "broken" / "journal.jsonl").write_text("no event\n")
    lessons = Lessons(tmp_path / "runs" / FILE)
    lessons.keep([replace(OLD, run="gone", text="Gone."), replace(OLD, run="broken", text="Broken.")])
    work(scripted_run.folder(tmp_path), tmp_path / "r", model_at(server))

    assert all(any(text in asked.task for asked in server.asked) for text in ("Gone.", "Broken."))


def test_what_was_recalled_stays_the_same_when_the_run_goes_on_later(
    server: ModelServer, tmp_path: Path
) -> None:
    interrupted = scripted_run.folder(tmp_path)
    server.answer = lambda a: Act(status=401) if role_of(a) == "coder" else language_run.answer(a)
    with pytest.raises(TeamFailed):
        work(interrupted, tmp_path / "r", model_at(server))
    server.answer = language_run.answer
    work(scripted_run.folder(tmp_path), tmp_path / "r", model_at(server))
    begun = len(server.asked)
    work(interrupted, tmp_path / "r", model_at(server))

    later = [asked for asked in server.asked[begun:] if role_of(asked) == "coder"]
    told = [HEADING in asked.task for asked in later]
    assert told == [False, False, True, True], "round 1 had recalled nothing, round 2 recalls anew"
    recalled = [e for e in interrupted.events() if e["event"] == "recalled"]
    assert [(e["key"], bool(e["value"])) for e in recalled] == [("recalled/1", False), ("recalled/2", True)]
