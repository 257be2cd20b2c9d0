from pathlib import Path

import pytest

from cudamaster.bench.duration import duration_words
from cudamaster.search.settings import Settings
from cudamaster.store.codec import Json
from tests.doubles import scripted_run

UNFINISHED: Json = {"status": "unfinished", "minutes": 99.0}


def tasks(count: int, **changes: object) -> list[Settings]:
    asked = {"model": "builtin", "rounds": 3, "candidates": 3, "patience": 1}
    return [scripted_run.settings(Path("out"), **(asked | changes)) for _ in range(count)]


def words(left: list[Settings], rows: list[Json], *, modelled: bool = True) -> str:
    return duration_words(left, rows, jobs=2, cores=2, modelled=modelled)


def test_the_expert_s_time_follows_from_candidates_and_cores() -> None:
    assert words(tasks(100), []) == "about 80 min, by what the expert usually takes"
    assert words(tasks(100, patience=0), []) == "about 2.0 h, by what the expert usually takes"
    assert words(tasks(1, rounds=1), [UNFINISHED]) == "about 1 min, by what the expert usually takes"


def test_a_language_model_answers_besides() -> None:
    assert words(tasks(10, model="openai:m"), []).endswith(", and the model's answers besides")


@pytest.mark.parametrize("modelled", [True, False])
def test_finished_tasks_tell_more_than_any_rule(modelled: bool) -> None:
    rows: list[Json] = [{"status": "faster", "minutes": 3.0}, {"status": "tied", "minutes": 5.0}, UNFINISHED]

    assert words(tasks(10), rows, modelled=modelled) == "about 20 min, by the 2 finished so far"


def test_nothing_is_said_of_a_gpu_on_which_nothing_was_finished() -> None:
    assert words(tasks(10), [], modelled=False) == "not known before a task is finished on this GPU"
