"""What a run's journal tells, from a scripted run."""

import json
from pathlib import Path

from cudamaster.search.story import story_of
from cudamaster.store.codec import Json
from cudamaster.store.results import read_stored, read_story
from cudamaster.store.runs import list_runs
from tests.doubles import scripted_run


def events(tmp_path: Path) -> list[Json]:
    folder = scripted_run.folder(tmp_path)
    scripted_run.run(folder, tmp_path / "results", scripted_run.team(), scripted_run.judge()).work()
    return list_runs(tmp_path / "runs")[0].events()


def candidates(story: Json) -> dict[int, Json]:
    return {c["number"]: c for told in story["rounds"] for c in told["candidates"]}


def test_each_candidate_is_told_with_plan_verdict_reward_and_lesson(tmp_path: Path) -> None:
    story = story_of(events(tmp_path))

    assert [(r["round"], len(r["candidates"])) for r in story["rounds"]] == [(1, 3), (2, 2), (3, 1)]
    first = candidates(story)[1]
    assert (first["strategy"], first["change"], first["reason"]) == (
        "strategy_0",
        "change 0 of round 1",
        "the script",
    )
    assert first["verdict"]["status"] == "correct"
    assert first["verdict"]["speedup"]["geomean"] == 1.5
    assert first["reward"] > 0
    assert first["lesson"] == "candidate 1 was correct"


def test_a_mended_candidate_is_told_with_what_was_wrong(tmp_path: Path) -> None:
    mended = candidates(story_of(events(tmp_path)))[2]

    assert [(mend["status"], mend["mended"]) for mend in mended["mends"]] == [("wrong", True)]
    assert mended["verdict"]["status"] == "correct"


def test_the_champion_is_the_one_that_held_on_every_workload(tmp_path: Path) -> None:
    story = story_of(events(tmp_path))

    assert story["champion"]["number"] == 4
    assert set(story["profiles"]) == {"baseline", "champion"}
    assert story["state"] == "finished"


def test_what_the_end_found_stands_beside_the_round_s_verdict(tmp_path: Path) -> None:
    told = candidates(story_of(events(tmp_path)))

    refused, held = told[6], told[4]
    assert (refused["verdict"]["status"], refused["end"]["status"]) == ("correct", "wrong")
    assert held["end"]["speedup"] == held["verdict"]["speedup"]
    assert held["end"]["workloads"] == 1
    assert "end" not in told[1]


def test_the_fastest_that_the_end_refused_is_shown_no_more(tmp_path: Path) -> None:
    told = events(tmp_path)
    refused = next(i for i, event in enumerate(told) if event["event"] == "champion")

    assert story_of(told[: refused + 1])["profiles"]["champion"]["kernels"][0]["time_ms"] == 1 / 2.5


def test_what_has_not_happened_yet_is_absent(tmp_path: Path) -> None:
    told = events(tmp_path)
    proposed = next(i for i, event in enumerate(told) if event["event"] == "proposal")
    story = story_of(told[: proposed + 1])

    assert story["state"] == "unfinished"
    assert "champion" not in story
    assert ["verdict" in c or "reward" in c for c in candidates(story).values()] == [False]
    assert "baseline" not in story_of(told[:1])


def test_before_the_end_the_profile_is_that_of_the_fastest_candidate(tmp_path: Path) -> None:
    told = events(tmp_path)
    crowning = next(i for i, event in enumerate(told) if event["event"] == "champion")
    rounds, whole = story_of(told[:crowning]), story_of(told)

    times = [story["profiles"]["champion"]["kernels"][0]["time_ms"] for story in (rounds, whole)]
    assert times == [1 / 3.0, 1 / 2.5]  # the fastest is refused in the end


def test_every_beginning_of_a_journal_has_a_story(tmp_path: Path) -> None:
    told = events(tmp_path)

    for length in range(1, len(told) + 1):
        json.dumps(story_of(told[:length]), allow_nan=False)


def test_the_story_is_stored_beside_the_record(tmp_path: Path) -> None:
    whole = story_of(events(tmp_path))
    folder = tmp_path / "results/virtual-h200/matrix_mul/fp32"

    stored = read_stored(folder)
    assert stored is not None
    story = read_story(folder, stored.record)
    assert story is not None
    assert story["champion"] == whole["champion"]
    assert story["rounds"] == whole["rounds"]
