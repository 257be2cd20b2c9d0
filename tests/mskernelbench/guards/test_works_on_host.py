"""A call that sends its data to the host and back is refused; flags, counters and tables may go."""

import pytest

from cudamaster.toolchain.timing import Clock
from mskernelbench.guards.evidence import TimeEvidence
from mskernelbench.guards.times.works_on_host import LEAST_BYTES, refuse
from mskernelbench.operator import Workload


def words(transferred_bytes: int, least_bytes: int = 8_000_000) -> str | None:
    workload = Workload("real", {"N": 1_000_000})
    return refuse(
        TimeEvidence(workload, 1.0, 0.5, Clock.MODELLED, least_bytes, transferred_bytes=transferred_bytes)
    )


@pytest.mark.parametrize("transferred_bytes", [0, 4, LEAST_BYTES + 1, 1 << 16, 1_999_999])
def test_less_than_a_quarter_of_the_data_may_go(transferred_bytes: int) -> None:
    assert words(transferred_bytes) is None


def test_both_ways_of_all_data_may_not() -> None:
    found = words(8_000_000)
    assert found is not None
    assert "8,000,000 bytes" in found


def test_of_small_data_too_a_few_words_may_go_and_no_more() -> None:
    assert words(LEAST_BYTES, least_bytes=100) is None
    assert words(LEAST_BYTES + 1, least_bytes=100) is not None
    assert words(4096, least_bytes=4 * 4096) is not None
