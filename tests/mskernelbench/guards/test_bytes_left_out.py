"""A timed call that touches less than any right call must is refused; uneven blocks prove nothing."""

from cudamaster.toolchain.timing import Clock
from cudamaster.toolchain.traces import Extent
from mskernelbench.guards.evidence import TimeEvidence
from mskernelbench.guards.times.bytes_left_out import refuse
from mskernelbench.operator import Workload


def evidence(x: Extent, y: Extent, moved_bytes: int = 0) -> TimeEvidence:
    workload = Workload("real", {"N": 1000})
    sizes = {"x": 4000, "y": 4000}
    return TimeEvidence(workload, 1.0, 0.5, Clock.MODELLED, 8000, sizes, {"x": x, "y": y}, moved_bytes)


def even(nbytes: float) -> Extent:
    return Extent(nbytes, nbytes, nbytes)


def test_reading_and_writing_everything_once_is_enough() -> None:
    assert refuse(evidence(even(4000), even(4000))) is None


def test_half_of_both_is_too_little() -> None:
    words = refuse(evidence(even(2000), even(2000)))
    assert words is not None
    assert "0.004 MB" in words
    assert "0.008 MB" in words


def test_reading_one_tensor_twice_does_not_stand_for_another() -> None:
    assert refuse(evidence(even(8000), even(0))) is not None


def test_blocks_that_differ_may_have_been_light_by_chance() -> None:
    assert refuse(evidence(Extent(100, 1000, 3000), even(4000))) is None


def test_what_is_copied_without_a_kernel_counts() -> None:
    assert refuse(evidence(even(0), even(0), moved_bytes=8000)) is None


def test_a_device_that_does_not_tell_is_not_held_against_a_kernel() -> None:
    silent = TimeEvidence(Workload("real", {"N": 1000}), 1.0, 0.5, Clock.MEASURED, 8000)
    assert refuse(silent) is None
