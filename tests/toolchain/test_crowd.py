import os
from pathlib import Path

import pytest

from cudamaster.toolchain.crowd import crowd, crowd_now, load_words, waited_seconds, wanting


@pytest.mark.parametrize(("load", "times"), [(0.1, 1.0), (2.0, 1.0), (5.0, 2.5), (40.0, 4.0)])
def test_each_of_many_gets_a_share_of_a_processor_up_to_a_limit(load: float, times: float) -> None:
    assert crowd(load, processors=2) == times


@pytest.mark.parametrize(
    ("line", "processes"), [("5.50 3.1 2.0 1/314 99\n", 5.5), ("0.50 3.1 2.0 7/314 99\n", 7.0)]
)
def test_what_was_just_begun_counts_before_the_mean_shows_it(line: str, processes: float) -> None:
    assert wanting(line) == processes


def test_the_load_is_that_of_the_processors_one_may_use() -> None:
    assert 1.0 <= crowd_now() <= 4.0
    assert load_words().endswith(f"processes want {len(os.sched_getaffinity(0))} processors")


def test_nobody_has_waited_who_is_not_there() -> None:
    assert waited_seconds(-1) == {}
    told = Path("/proc/self/schedstat").is_file()
    assert (str(os.getpid()) in waited_seconds(os.getpid())) == told
