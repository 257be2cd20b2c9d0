"""A call that does not end is told to do more than it must, where those that ended say so."""

from mskernelbench.catalog import load_operator
from mskernelbench.operator import Workload
from mskernelbench.work_growth import growth_words

SCAN = load_operator("prefix_sum")
ENDED = tuple(Workload("paper", {"N": n}, "shifted") for n in (262_144, 1024, 65_536))


def steps(power: int, workload: Workload) -> float:
    return float(workload.shape["N"]) ** power


def test_work_that_grows_with_the_square_is_told_with_the_two_heaviest_that_ended() -> None:
    words = growth_words(SCAN, ENDED, lambda workload: steps(2, workload))
    assert words is not None
    assert "from N=65536 shifted to N=262144 shifted, 4 times the operations" in words
    assert "16 times the instructions" in words


def test_work_that_grows_as_it_must_is_no_reason() -> None:
    assert growth_words(SCAN, ENDED, lambda workload: steps(1, workload)) is None


def test_one_call_or_two_of_about_one_size_say_nothing() -> None:
    assert growth_words(SCAN, ENDED[:1], lambda workload: steps(2, workload)) is None
    alike = (ENDED[0], Workload("real", {"N": 300_000}, "shifted"))
    assert growth_words(SCAN, alike, lambda workload: steps(9, workload)) is None
