"""Some elements of what a timed call wrote: right ones are known to be right, and nothing else is."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from cudamaster.toolchain.arguments import Access
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.timing import Clock, Timing
from cudamaster.toolchain.traces import Extent, written
from mskernelbench.catalog import load_operator
from mskernelbench.fairness import does_its_share, unfair_words
from mskernelbench.lane import Lane
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.sampled import right_in_samples
from tests.doubles.scripted_device import ScriptedDevice

FP32 = Precision.FP32
SOFTMAX, SCAN = load_operator("softmax"), load_operator("prefix_sum")
ROWS = Workload("real", {"N": 64, "C": 500}, "logits")
VALUES = Workload("real", {"N": 50_000}, "shifted")


def timing(operator: Operator, workload: Workload, share: float = 1.0, error: float = 0.0) -> Timing:
    """Of a call that writes the first `share` of its right outputs, all of them off by `error`."""
    materials = Materials(operator, FP32, 0)
    answers, arguments = materials.answers(workload), materials.arguments(workload)
    seen, extents = {}, {}
    for tensor in arguments.tensors:
        extents[tensor.name] = Extent(*(share * tensor.array.nbytes,) * 3)
        if tensor.access is Access.OUTPUT:
            before, after = tensor.array.reshape(-1), tensor.array.reshape(-1).copy()
            count = int(share * after.size)
            after[:count] = answers[tensor.name].reference.reshape(-1)[:count] * (1 + error)
            seen[tensor.name] = written(before, after, np.random.default_rng(1))
    return Timing(Clock.MODELLED, (1.0,), 1, extents=extents, written=seen)


def told(operator: Operator, workload: Workload, of: Timing) -> bool:
    arguments = Materials(operator, FP32, 0).arguments(workload)
    return right_in_samples(operator, FP32, workload, arguments, of)


def test_right_elements_are_known_to_be_right() -> None:
    assert told(SOFTMAX, ROWS, timing(SOFTMAX, ROWS))


@pytest.mark.parametrize("error", [1e-4, -1.0])
def test_elements_outside_their_bounds_are_not(error: float) -> None:
    assert not told(SOFTMAX, ROWS, timing(SOFTMAX, ROWS, error=error))


def test_half_of_an_output_is_not_enough_however_right_it_is() -> None:
    assert not told(SOFTMAX, ROWS, timing(SOFTMAX, ROWS, share=0.5))


@pytest.mark.parametrize(("reads", "right"), [(1.0, True), (1.3, False), (16.0, False)])
def test_what_blocks_read_of_an_output_that_they_do_not_write_is_no_work(reads: float, right: bool) -> None:
    """Blocks by which all of the output seems to be touched have themselves written 1/64 of it."""
    done = timing(SOFTMAX, ROWS)
    seen = {name: replace(one, left_out=one.left_out + 31_500) for name, one in done.written.items()}
    nbytes = 4 * 32_000 / 64
    extents = {name: replace(one, sampled=reads * nbytes) for name, one in done.extents.items()}
    assert told(SOFTMAX, ROWS, replace(done, written=seen, extents=extents)) is right


def test_an_operator_that_cannot_be_cut_is_never_known_to_be_right() -> None:
    assert not told(SCAN, VALUES, timing(SCAN, VALUES))


def shared(timed: Timing, workload: Workload = ROWS) -> bool:
    least = SOFTMAX.dram_bytes(workload.shape, FP32)
    return does_its_share(timed, Materials(SOFTMAX, FP32, 0).arguments(workload), least)


def test_a_call_does_its_share_where_it_touches_all_that_it_must() -> None:
    assert shared(timing(SOFTMAX, ROWS))
    assert not shared(timing(SOFTMAX, ROWS, share=0.7))


def spread(**extents: tuple[float, float, float]) -> Timing:
    found: Mapping[str, Extent] = {name: Extent(*three) for name, three in extents.items()}
    return Timing(Clock.MODELLED, (1.0,), 1, extents=found)


def test_blocks_from_anywhere_that_do_more_than_the_timed_ones_give_a_cheat_away() -> None:
    timed = spread(y=(0, 6e6, 9e6))
    words = unfair_words(timed, [spread(y=(9e6, 9e6, 9e6))] * 2, "N=9")
    assert words is not None
    assert "6 MB of y" in words
    assert unfair_words(timed, [spread(y=(5e6, 6e6, 6e6))], "N=9") is None


def test_blocks_that_differ_among_themselves_prove_nothing() -> None:
    assert unfair_words(spread(y=(0, 1e6, 9e6)), [spread(y=(0, 5e6, 9e6))], "N=9") is None


def test_one_draw_that_meets_a_block_with_little_to_do_ends_the_suspicion() -> None:
    draws = iter([spread(y=(9e6, 9e6, 9e6)), spread(y=(2e6, 8e6, 9e6)), spread(y=(9e6, 9e6, 9e6))])
    assert unfair_words(spread(y=(2e6, 6e6, 9e6)), draws, "N=9") is None
    assert next(draws, None) is not None


def test_a_draw_that_fails_proves_nothing() -> None:
    draws = [spread(y=(9e6, 9e6, 9e6)), RunFailure(FailureKind.TIMED_OUT, "late")]
    assert unfair_words(spread(y=(2e6, 6e6, 9e6)), draws, "N=9") is None


def test_what_is_read_and_overwritten_counts_once() -> None:
    sorting = load_operator("sorting")
    workload = sorting.in_set("paper")[0]
    lane = Lane(ScriptedDevice({}), sorting, FP32, Materials(sorting, FP32, 0), seed=0)
    assert lane.least_bytes(workload) == 4 * workload.shape["N"]
