"""Values are drawn once and repeated, but not so that a kernel could do with one period of them."""

import numpy as np
import pytest

from mskernelbench.distributions import DISTRIBUTIONS, PERIOD, STRAY, ternary, values
from mskernelbench.operator import Precision

COUNT = 3 * PERIOD + 5


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_repeated_values_stray_here_and_there(name: str) -> None:
    drawn = values(name, np.random.default_rng(7), COUNT, Precision.FP32)
    strays = np.flatnonzero(drawn[:PERIOD] != drawn[PERIOD : 2 * PERIOD])
    assert 1.5 < len(strays) * STRAY / PERIOD < 2.5
    assert np.diff(strays).max() < 40 * STRAY, "there is no long stretch without"
    again = values(name, np.random.default_rng(7), COUNT, Precision.FP32)
    assert np.array_equal(drawn, again)
    other = values(name, np.random.default_rng(8), COUNT, Precision.FP32)
    assert not np.isin(strays, np.flatnonzero(other[:PERIOD] != other[PERIOD : 2 * PERIOD])).all()


def test_a_stray_value_is_one_of_those_drawn() -> None:
    drawn = ternary(np.random.default_rng(7), COUNT, Precision.BF16)
    assert set(np.unique(drawn.astype(np.float32))) == {-1.0, 0.0, 1.0}


def test_what_is_drawn_afterwards_does_not_depend_on_how_often_values_repeat() -> None:
    rngs = np.random.default_rng(7), np.random.default_rng(7)
    whole, part = (
        values("shifted", r, n, Precision.FP32) for r, n in zip(rngs, (PERIOD, COUNT), strict=True)
    )
    assert np.mean(part[:PERIOD] == whole) > 1 - 2 / STRAY
    assert rngs[0].integers(1 << 62) == rngs[1].integers(1 << 62)
