"""The doubles of NVIDIA's libraries have the real functions' parameters."""

import inspect
from typing import Any

import pynvml
import pytest
from cuda.bindings import driver

from tests.doubles.nvidia import FakeBinding, FakeNvml

PAIRS = [
    (double, real, name)
    for double, real, prefix in ((FakeBinding, driver, "cu"), (FakeNvml, pynvml, "nvml"))
    for name in vars(double)
    if name.startswith(prefix)
]


@pytest.mark.parametrize(("double", "real", "name"), PAIRS, ids=[name for *_, name in PAIRS])
def test_a_function_takes_what_the_real_one_takes(double: type, real: Any, name: str) -> None:
    faked = list(inspect.signature(getattr(double, name)).parameters)[1:]

    assert faked == list(inspect.signature(getattr(real, name)).parameters)
