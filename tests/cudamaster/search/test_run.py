import dataclasses
import threading
from pathlib import Path

import pytest

from cudamaster.agents.errors import UnknownStrategy
from cudamaster.agents.nouns import Plan, Situation
from cudamaster.errors import GroundChanged, RunBusy, TeamFailed
from cudamaster.search.outcome import Known, Outcome
from cudamaster.search.run import outcome_in, settings_of
from cudamaster.search.scripted import ScriptedTeam
from cudamaster.store.codec import Json
from cudamaster.store.results import digest_of, read_stored
from mskernelbench.evaluation import Status
from tests.doubles import scripted_run
from tests.doubles.scripted_run import BETTER, BROKEN, FRAGILE, GOOD, MENDED, SLOW, WRONG, source


def told(outcome: Outcome) -> tuple[object, ...]:
    """What must not depend on interruptions."""
    best = outcome.best and (outcome.best.number, outcome.best.kernel_sha256, outcome.best.evaluation)
    return best, outcome.rounds, outcome.candidates, outcome.stopped_by, outcome.baseline


def finished(tmp_path: Path, **changes: object) -> Outcome:
    folder = scripted_run.folder(tmp_path)
    team, judge = scripted_run.team(), scripted_run.judge()
    return scripted_run.run(folder, tmp_path / "results", team, judge, None, **changes).work()


def test_the_best_is_the_fastest_that_holds_on_every_workload(tmp_path: Path) -> None:
    outcome = finished(tmp_path)

    assert outcome.best is not None
    assert Path(outcome.best.kernel).read_text() == BETTER
    assert (outcome.best.round, outcome.best.plan.strategy) == (2, "strategy_0")
    assert outcome.best.lesson == "candidate 4 was correct"


def test_a_run_ends_when_the_team_has_nothing_left(tmp_path: Path) -> None:
    outcome = finished(tmp_path)

    assert (outcome.stopped_by, outcome.rounds, outcome.candidates) == ("nothing_left", 3, 6)


def test_a_candidate_that_is_the_baseline_itself_is_right_and_no_faster(tmp_path: Path) -> None:
    folder, judge = scripted_run.folder(tmp_path), scripted_run.judge()
    team = scripted_run.team([[judge.baseline_source]])
    outcome = scripted_run.run(folder, tmp_path / "results", team, judge).work()

    assert (outcome.best, outcome.fastest) == (None, 1.0)


def test_a_run_ends_after_its_rounds(tmp_path: Path) -> None:
    outcome = finished(tmp_path, rounds=1)

    assert (outcome.stopped_by, outcome.rounds, outcome.candidates) == ("rounds", 1, 3)


@pytest.mark.parametrize(
    ("patience", "stopped_by", "rounds"), [(0, "rounds", 4), (1, "flat", 3), (2, "rounds", 4)]
)
def test_a_run_ends_when_its_patience_does(
    patience: int, stopped_by: str, rounds: int, tmp_path: Path
) -> None:
    """Its rounds gain nothing, 50 %, then 5 %, which a modelled clock cannot tell, then 100 %."""
    gains = [[SLOW], [GOOD], [source("little", speedup=1.55)], [source("much", speedup=3.0)]]
    folder, team = scripted_run.folder(tmp_path), scripted_run.team(gains)
    asked = {"rounds": 4, "candidates": 1, "patience": patience}
    outcome = scripted_run.run(folder, tmp_path / "out", team, scripted_run.judge(), None, **asked).work()

    assert (outcome.stopped_by, outcome.rounds) == (stopped_by, rounds)


def test_rounds_before_the_first_gain_are_not_held_against_a_run(tmp_path: Path) -> None:
    folder, team = (
        scripted_run.folder(tmp_path),
        scripted_run.team([[SLOW], [SLOW + "// 2"], [SLOW + "// 3"]]),
    )
    asked = {"rounds": 3, "candidates": 1, "patience": 1}
    outcome = scripted_run.run(folder, tmp_path / "out", team, scripted_run.judge(), None, **asked).work()

    assert (outcome.stopped_by, outcome.rounds) == ("rounds", 3)


def test_a_run_ends_when_its_minutes_are_used(tmp_path: Path) -> None:
    outcome = finished(tmp_path, max_minutes=1e-6)

    assert (outcome.stopped_by, outcome.rounds) == ("minutes", 1)


def test_a_run_ends_near_the_roofline(tmp_path: Path) -> None:
    near = source("near", speedup=5.0, attainment=0.96)
    run = scripted_run.run(
        scripted_run.folder(tmp_path),
        tmp_path / "results",
        scripted_run.team([[near], [SLOW]]),
        scripted_run.judge(),
    )

    assert run.work().stopped_by == "attainment"


def test_without_a_faster_kernel_there_is_no_best_and_nothing_is_stored(tmp_path: Path) -> None:
    run = scripted_run.run(
        scripted_run.folder(tmp_path),
        tmp_path / "results",
        scripted_run.team([[SLOW, BROKEN]]),
        scripted_run.judge(),
    )
    outcome = run.work()

    assert (outcome.best, outcome.record) == (None, None)
    assert not (tmp_path / "results").exists()


def test_a_refused_candidate_is_mended_and_judged_again(tmp_path: Path) -> None:
    folder = scripted_run.folder(tmp_path)
    judge = scripted_run.judge()
    scripted_run.run(folder, tmp_path / "results", scripted_run.team(), judge).work()

    judged = [asked.removeprefix("quick ") for asked in judge.asked if asked.startswith("quick ")]
    assert sorted(judged) == sorted([judge.baseline(), GOOD, WRONG, MENDED, BROKEN, BETTER, SLOW, FRAGILE])
    verdicts = [
        e["value"]["status"] for e in folder.events() if e["event"] == "evaluation" and e["number"] == 2
    ]
    assert verdicts == ["wrong", "correct"]


def test_the_debugger_is_asked_no_more_often_than_allowed(tmp_path: Path) -> None:
    again = source("again", Status.WRONG)
    team = scripted_run.team([[WRONG]])
    team.mends = {WRONG: again, again: WRONG}
    scripted_run.run(
        scripted_run.folder(tmp_path), tmp_path / "r", team, scripted_run.judge(), max_debugs=1
    ).work()

    assert [asked for asked in team.asked if asked.startswith("debug")] == [f"debug {WRONG}"]


@pytest.mark.parametrize("status", [Status.CHEATED, Status.UNSUPPORTED])
def test_the_debugger_never_mends_a_cheat_or_the_device(tmp_path: Path, status: Status) -> None:
    team = scripted_run.team([[source("x", status)]])
    scripted_run.run(scripted_run.folder(tmp_path), tmp_path / "r", team, scripted_run.judge()).work()

    assert not [asked for asked in team.asked if asked.startswith("debug")]


def test_equal_sources_are_judged_once(tmp_path: Path) -> None:
    judge = scripted_run.judge()
    run = scripted_run.run(
        scripted_run.folder(tmp_path), tmp_path / "r", scripted_run.team([[GOOD, GOOD], [GOOD]]), judge
    )
    outcome = run.work()

    assert judge.asked.count(f"quick {GOOD}") == 1
    assert outcome.candidates == 3


def test_rewards_and_advantages_of_each_round_are_journalled(tmp_path: Path) -> None:
    folder = scripted_run.folder(tmp_path)
    scripted_run.run(folder, tmp_path / "r", scripted_run.team(), scripted_run.judge()).work()
    rounds = [e["value"] for e in folder.events() if e["event"] == "rewards"]

    assert [[row["number"] for row in rows] for rows in rounds] == [[1, 2, 3], [4, 5], [6]]
    assert all(abs(sum(row["advantage"] for row in rows)) < 1e-9 for rows in rounds)


def test_the_champion_is_stored_with_the_evidence(tmp_path: Path) -> None:
    outcome = finished(tmp_path)
    stored = read_stored(tmp_path / "results" / "virtual-h200" / "matrix_mul" / "fp32")

    assert outcome.stored
    assert stored is not None
    assert stored.kernel == BETTER
    assert stored.record["kernel_sha256"] == digest_of(BETTER)
    assert stored.record["run"] == outcome.run
    assert (stored.record["strategy"], stored.record["parameters"]) == ("strategy_0", {"index": 0})
    assert stored.record["evaluation"]["schema"] == "cudamaster.evaluation/1"
    assert {"clock", "clock_version", "seed", "versions", "command", "baseline_sha256"} <= set(stored.record)


def test_a_second_run_that_is_no_better_leaves_the_record(tmp_path: Path) -> None:
    first, second = finished(tmp_path), finished(tmp_path)

    assert (second.stored, second.record) == (False, first.record)
    assert first.best is not None
    assert (first.before, second.before) == (None, Known(first.best.evaluation.speedup, True, False))


def test_a_stored_kernel_of_another_model_version_is_judged_anew_before_it_yields(tmp_path: Path) -> None:
    fast = source("stored", speedup=9.0)
    first = scripted_run.run(
        scripted_run.folder(tmp_path), tmp_path / "results", scripted_run.team([[fast]]), scripted_run.judge()
    )
    first.work()
    record = tmp_path / "results/virtual-h200/matrix_mul/fp32/record.json"
    record.write_text(record.read_text().replace('"model 1"', '"model 0"'))
    judge = scripted_run.judge()
    run = scripted_run.run(scripted_run.folder(tmp_path), tmp_path / "results", scripted_run.team(), judge)

    assert not run.work().stored
    assert f"full {fast}" in judge.asked


def test_a_stored_kernel_of_another_model_version_yields_to_one_that_is_as_fast(tmp_path: Path) -> None:
    again = scripted_run.team([[source("stored", speedup=9.0)]])
    for version in ("model 0", "model 1"):
        run = scripted_run.run(
            scripted_run.folder(tmp_path), tmp_path / "results", again, scripted_run.judge()
        )
        assert run.work().stored
        record = tmp_path / "results/virtual-h200/matrix_mul/fp32/record.json"
        record.write_text(record.read_text().replace('"model 1"', f'"{version}"'))


def test_every_run_keeps_its_best_kernel_in_its_folder(tmp_path: Path) -> None:
    """Also where the results hold one that is as fast."""
    first, second = finished(tmp_path), finished(tmp_path)

    for outcome in (first, second):
        assert outcome.best is not None
        assert outcome.best.kernel == str(Path(outcome.folder) / "best" / "kernel.cu")
        kept = read_stored(Path(outcome.folder) / "best")
        assert kept is not None
        assert (kept.kernel, kept.record["run"]) == (BETTER, outcome.run)


def test_a_run_that_is_to_store_nothing_leaves_the_results_alone(tmp_path: Path) -> None:
    outcome = finished(tmp_path, store=False)

    assert (outcome.record, outcome.stored) == (str(Path(outcome.folder) / "best" / "record.json"), True)
    assert not (tmp_path / "results").exists()


def test_a_run_on_the_users_shapes_is_kept_in_its_own_folder(tmp_path: Path) -> None:
    outcome = finished(tmp_path, shapes=("M=64",))

    assert outcome.record == str(Path(outcome.folder) / "best" / "record.json")
    assert not (tmp_path / "results").exists()


def test_a_run_on_the_users_shapes_is_kept_apart_in_a_results_folder_that_was_asked_for(
    tmp_path: Path,
) -> None:
    outcome = finished(tmp_path, shapes=("M=64",), results_asked=True)

    place = tmp_path / "results" / "virtual-h200" / "matrix_mul" / "fp32"
    assert outcome.record == str(place / "own-sizes" / outcome.run / "record.json")
    assert outcome.stored
    assert not (place / "record.json").exists()


def test_a_finished_run_is_read_back_from_its_journal(tmp_path: Path) -> None:
    folder = scripted_run.folder(tmp_path)
    run = scripted_run.run(folder, tmp_path / "r", scripted_run.team(), scripted_run.judge())
    outcome = run.work()

    assert outcome_in(folder) == outcome
    assert settings_of(folder) == run.settings


def test_a_run_under_work_is_busy_for_a_second_process(tmp_path: Path) -> None:
    folder = scripted_run.folder(tmp_path)
    run = scripted_run.run(folder, tmp_path / "r", scripted_run.team(), scripted_run.judge())

    with folder.held(), pytest.raises(RunBusy):
        run.work()


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, list[str]]:
    root = tmp_path_factory.mktemp("uninterrupted")
    team, judge = scripted_run.team(), scripted_run.judge()
    outcome = scripted_run.run(scripted_run.folder(root), root / "r", team, judge).work()
    return outcome, sorted(team.asked + judge.asked)


@pytest.mark.parametrize("events", range(1, 43, 3))
def test_an_interrupted_run_ends_as_an_uninterrupted_one_and_pays_for_nothing_twice(
    tmp_path: Path, events: int, uninterrupted: tuple[Outcome, list[str]]
) -> None:
    team, judge, stop, seen = scripted_run.team(), scripted_run.judge(), threading.Event(), []

    def stop_after(event: Json) -> None:
        seen.append(event)
        if len(seen) == events:
            stop.set()

    folder = scripted_run.folder(tmp_path)
    first = scripted_run.run(folder, tmp_path / "r", team, judge, stop).work([stop_after])
    assert first.stopped_by == "interrupted"
    outcome = scripted_run.run(folder, tmp_path / "r", team, judge).work()

    assert told(outcome) == told(uninterrupted[0])
    cut_short = len(team.asked + judge.asked) - len(uninterrupted[1])
    assert cut_short <= 1, "only a verdict that was under way may be asked for again"


def test_an_interrupted_run_shows_the_best_so_far(tmp_path: Path) -> None:
    stop = threading.Event()

    def stop_after_two_rounds(event: Json) -> None:
        if event["event"] == "rewards" and event["round"] == 2:
            stop.set()

    folder = scripted_run.folder(tmp_path)
    run = scripted_run.run(folder, tmp_path / "results", scripted_run.team(), scripted_run.judge(), stop)
    outcome = run.work([stop_after_two_rounds])

    assert outcome.best is not None
    assert Path(outcome.best.kernel).read_text() == BETTER
    assert not (tmp_path / "results").exists()


def test_a_run_whose_time_model_changed_meanwhile_is_not_gone_on_with(tmp_path: Path) -> None:
    stop = threading.Event()
    folder, team, judge = scripted_run.folder(tmp_path), scripted_run.team(), scripted_run.judge()
    run = scripted_run.run(folder, tmp_path / "r", team, judge, stop)
    run.work([lambda event: stop.set()])
    later = dataclasses.replace(run, means=dataclasses.replace(run.means, clock_version="model 2"))

    with pytest.raises(GroundChanged, match="began with clock_version model 1, which is now model 2"):
        later.work()


def test_a_run_without_its_checkpoint_goes_on_from_the_journal(tmp_path: Path) -> None:
    stop = threading.Event()
    folder, team, judge = scripted_run.folder(tmp_path), scripted_run.team(), scripted_run.judge()
    scripted_run.run(folder, tmp_path / "r", team, judge, stop).work(
        [lambda event: stop.set() if event["event"] == "rewards" else None]
    )
    folder.checkpoint_path.unlink()
    scripted_run.run(folder, tmp_path / "r", team, judge).work()

    assert len(judge.asked) == len(set(judge.asked))


def test_a_checkpoint_that_is_no_database_is_made_anew(tmp_path: Path) -> None:
    stop = threading.Event()
    folder, team, judge = scripted_run.folder(tmp_path), scripted_run.team(), scripted_run.judge()
    scripted_run.run(folder, tmp_path / "r", team, judge, stop).work(
        [lambda event: stop.set() if event["event"] == "rewards" else None]
    )
    folder.checkpoint_path.write_bytes(b"nonsense" * 1000)

    assert scripted_run.run(folder, tmp_path / "r", team, judge).work().stopped_by == "nothing_left"


def test_a_team_that_cannot_do_what_it_is_asked_ends_the_run_in_a_sentence_and_it_can_go_on(
    tmp_path: Path,
) -> None:
    class Lost(ScriptedTeam):
        def write(self, situation: Situation, plan: Plan) -> str:
            raise UnknownStrategy(f"the playbook has no strategy '{plan.strategy}'")

    folder, judge = scripted_run.folder(tmp_path), scripted_run.judge()
    lost = Lost(scripted_run.ROUNDS)
    said = rf"no strategy 'strategy_\d'\. .*resume {folder.name}' goes on"
    with pytest.raises(TeamFailed, match=said) as told:
        scripted_run.run(folder, tmp_path / "r", lost, judge).work()
    outcome = scripted_run.run(folder, tmp_path / "r", scripted_run.team(), judge).work()

    assert told.value.exit_code == 3
    assert (outcome.stopped_by, outcome.candidates) == ("nothing_left", 6)
    assert judge.asked.count(f"quick {judge.baseline()}") == 1
