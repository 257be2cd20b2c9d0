import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest

from cudamaster.errors import BrokenStore
from cudamaster.store.lessons import FILE, Lesson, Lessons

LESSON = Lesson(
    "run-1", 1, "softmax", "llm", "fp32", "virtual:h200", "memory", "tile", 2.0, 1.0, "Wider loads helped."
)  # fmt: skip


def store(tmp_path: Path) -> Lessons:
    return Lessons(tmp_path / FILE)


def texts(lessons: Lessons, run: str = "run-9", most: int = 9, **changes: str) -> list[str]:
    asked = {"operator": "softmax", "family": "llm", "precision": "fp32"}
    asked |= {"device": "virtual:h200", "bound": "memory"} | changes
    return [lesson.text for lesson in lessons.fitting(**asked, run=run, most=most)]


def test_a_lesson_that_is_kept_is_found_whole(tmp_path: Path) -> None:
    store(tmp_path).keep([LESSON])
    found = store(tmp_path).fitting(
        operator="softmax", family="llm", precision="fp32", device="virtual:h200", bound="memory",
        run="run-2", most=3,
    )  # fmt: skip
    assert found == [LESSON]


def test_a_lesson_that_is_taken_back_is_gone_and_others_stay(tmp_path: Path) -> None:
    lessons = store(tmp_path)
    lessons.keep([LESSON, replace(LESSON, number=2, text="two"), replace(LESSON, run="run-2", text="other")])
    lessons.take_back("run-1", [1, 7])
    assert sorted(texts(lessons)) == ["other", "two"]


def test_operator_counts_more_than_bound_and_bound_more_than_device(tmp_path: Path) -> None:
    about = {
        "same": {},
        "device": {"device": "cuda:h200"},
        "bound": {"bound": "compute"},
        "operator": {"operator": "rope"},
        "operator and device": {"operator": "rope", "device": "cuda:h200"},
        "family": {"family": "sparse"},
    }
    lessons = store(tmp_path)
    lessons.keep(replace(LESSON, number=n, text=k, **c) for n, (k, c) in enumerate(about.items()))
    assert texts(lessons) == ["same", "device", "bound", "operator", "operator and device"]
    assert texts(lessons, family="sparse") == ["family"]


def test_among_equals_the_larger_effect_comes_first(tmp_path: Path) -> None:
    lessons = store(tmp_path)
    lessons.keep(replace(LESSON, number=n, reward=r, text=str(r)) for n, r in enumerate((0.1, -0.9, 0.5)))
    assert texts(lessons) == ["-0.9", "0.5", "0.1"]
    assert texts(lessons, most=1) == ["-0.9"]


def test_a_run_is_not_shown_its_own_lessons_and_no_sentence_twice(tmp_path: Path) -> None:
    lessons = store(tmp_path)
    lessons.keep([LESSON, replace(LESSON, number=2), replace(LESSON, run="run-2", text="mine")])
    assert texts(lessons, run="run-2") == ["Wider loads helped."]


def test_a_lesson_kept_again_is_replaced(tmp_path: Path) -> None:
    lessons = store(tmp_path)
    lessons.keep([LESSON])
    lessons.keep([replace(LESSON, text="Corrected.")])
    assert texts(lessons) == ["Corrected."]


def test_before_anything_was_kept_there_is_nothing_and_no_file(tmp_path: Path) -> None:
    assert texts(store(tmp_path)) == []
    assert not (tmp_path / FILE).exists()


def keep_many(file: Path, run: str) -> None:
    for number in range(20):
        Lessons(file).keep([replace(LESSON, run=run, number=number, text=f"{run} {number}")])


def test_two_processes_keep_theirs_at_once(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("fork")
    writers = [spawn.Process(target=keep_many, args=(tmp_path / FILE, run)) for run in ("a", "b")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert len(texts(store(tmp_path), most=99)) == 40


def test_a_file_that_is_no_database_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("these are not lessons, whatever they are called")
    with pytest.raises(BrokenStore, match=r"lessons.sqlite cannot be used .* --no-lessons"):
        texts(store(tmp_path))
