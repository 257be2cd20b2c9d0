"""What is handed back of a timed call's outputs: elements that it wrote, from anywhere among them."""

import numpy as np

from cudamaster.toolchain.traces import PART_ELEMENTS, RUN_ELEMENTS, RUNS, written

RNG = np.random.default_rng(5)


def test_nothing_is_told_of_what_nobody_wrote() -> None:
    before = np.full(1000, np.nan, np.float32)
    assert written(before, before.copy(), RNG).places.size == 0


def test_only_written_elements_are_told_with_their_values() -> None:
    before = np.full(3 * PART_ELEMENTS, np.nan, np.float32)
    after = before.copy()
    touched = np.r_[5:9, PART_ELEMENTS - 3 : PART_ELEMENTS + 2, 3 * PART_ELEMENTS - 1]
    after[touched] = touched
    seen = written(before, after, RNG)
    assert seen.places.tolist() == touched.tolist()
    assert seen.values.tolist() == touched.astype(np.float32).tolist()


def test_stretches_lie_in_every_part_of_what_was_written() -> None:
    before = np.zeros(8 * PART_ELEMENTS, np.float32)
    seen = written(before, np.ones_like(before), RNG)
    assert len(set(seen.places // PART_ELEMENTS)) == 8
    assert RUNS <= len(seen.places) <= RUNS * RUN_ELEMENTS


def test_a_zero_written_over_a_negative_zero_is_seen() -> None:
    before = np.full(4, -0.0, np.float32)
    assert written(before, np.zeros(4, np.float32), RNG).places.tolist() == [0, 1, 2, 3]


def test_whether_the_last_element_was_written_is_told() -> None:
    before = np.zeros(9, np.float32)
    after = before.copy()
    after[:8] = 1
    assert not written(before, after, RNG).reaches_end
    after[8] = 1
    assert written(before, after, RNG).reaches_end


def test_how_many_elements_were_left_as_they_were_is_told() -> None:
    before = np.zeros(3 * PART_ELEMENTS, np.float32)
    after = before.copy()
    after[7 : 2 * PART_ELEMENTS] = 1
    assert written(before, after, RNG).left_out == PART_ELEMENTS + 7
