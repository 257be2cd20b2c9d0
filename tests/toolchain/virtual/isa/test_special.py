"""The special-function unit stays within the errors and keeps the edges that the PTX ISA documents."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.toolchain.virtual.isa.opcodes import THREADS, Launch, Table

RNG = np.random.default_rng(4)
Float32 = NDArray[np.float32]


def spread(low: float, high: float) -> Float32:
    return RNG.uniform(low, high, THREADS).astype(np.float32)


def decades(low: float, high: float) -> Float32:
    return (10.0 ** RNG.uniform(low, high, THREADS)).astype(np.float32)


def relative(bits: float) -> Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]:
    return lambda error, exact: error <= 2.0**-bits * np.abs(exact)


def absolute(bits: float) -> Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]:
    return lambda error, exact: error <= 2.0**-bits


CASES: list[tuple[str, Float32, Callable[[Any], Any], Callable[..., Any]]] = [
    ("ex2.approx.f32", spread(-125, 127), np.exp2, relative(22)),
    ("ex2.approx.ftz.f32", spread(-2, 2), np.exp2, relative(22)),
    ("lg2.approx.f32", spread(0.5, 2), np.log2, absolute(22.6)),
    ("lg2.approx.ftz.f32", decades(-30, 30), np.log2, relative(22)),
    ("sin.approx.f32", spread(-math.pi, math.pi), np.sin, absolute(20.9)),
    ("cos.approx.ftz.f32", spread(-math.pi, math.pi), np.cos, absolute(20.9)),
    ("tanh.approx.f32", spread(-4, 4), np.tanh, relative(10.987)),
    ("rcp.approx.f32", decades(-30, 30), lambda x: 1 / x, relative(23)),
    ("rsqrt.approx.f32", decades(-30, 30), lambda x: 1 / np.sqrt(x), relative(22.9)),
    ("sqrt.approx.ftz.f32", decades(-30, 30), np.sqrt, relative(23)),
    ("div.approx.f32", decades(-20, 20), lambda x: x / np.float32(3), relative(22)),
]
EDGES = np.array([0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 1e-40, -1e-40], np.float32)
INF, NAN = math.inf, math.nan
AT_EDGES: dict[str, list[float]] = {
    "ex2.approx.ftz.f32": [1, 1, INF, 0, NAN, 2, 0.5, 1, 1],
    "lg2.approx.ftz.f32": [-INF, -INF, INF, NAN, NAN, 0, NAN, -INF, -INF],
    "lg2.approx.f32": [-INF, -INF, INF, NAN, NAN, 0, NAN, -132.877, NAN],
    "sin.approx.ftz.f32": [0, -0.0, NAN, NAN, NAN, 0.841471, -0.841471, 0, -0.0],
    "cos.approx.f32": [1, 1, NAN, NAN, NAN, 0.5403023, 0.5403023, 1, 1],
    "tanh.approx.f32": [0, -0.0, 1, -1, NAN, 0.761594, -0.761594, 1e-40, -1e-40],
    "rsqrt.approx.f32": [INF, -INF, 0, NAN, NAN, 1, NAN, 1e20, NAN],
    "rsqrt.approx.ftz.f32": [INF, -INF, 0, NAN, NAN, 1, NAN, INF, -INF],
    "rcp.approx.ftz.f32": [INF, -INF, 0, -0.0, NAN, 1, -1, INF, -INF],
    "sqrt.approx.ftz.f32": [0, -0.0, INF, NAN, NAN, 1, NAN, 0, -0.0],
}
TINY_RESULTS = np.array([-127, -130.5, -149, -151, -200], np.float32)
DOUBLES = 10.0 ** RNG.uniform(-100, 100, THREADS)


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    cases = Table()
    for name, values, _, _ in CASES:
        text = f"{name} %d0, %s0, 0f40400000;" if name.startswith("div") else ""
        cases.add(name, "f32", "f32", [values], text)
    for name in AT_EDGES:
        cases.add(f"edges {name}", "f32", "f32", [EDGES], f"{name} %d0, %s0;")
    for name in ("ex2.approx.f32", "ex2.approx.ftz.f32"):
        cases.add(f"tiny {name}", "f32", "f32", [TINY_RESULTS], f"{name} %d0, %s0;")
    for name in ("rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64"):
        cases.add(name, "f64", "f64", [DOUBLES])
    cases.run(launch)
    return cases


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_error_is_within_the_documented_bound(table: Table, case: Any) -> None:
    name, values, function, bound = case
    exact = function(values.astype(np.float64))
    error = np.abs(table.found[name][0].astype(np.float64) - exact)
    assert bound(error, exact).all(), (values[~bound(error, exact)], error.max())


@pytest.mark.parametrize("name", AT_EDGES)
def test_edges(table: Table, name: str) -> None:
    found = table.found[f"edges {name}"][0][: len(EDGES)].astype(np.float64)
    wanted = np.array(AT_EDGES[name])
    np.testing.assert_allclose(found, wanted, rtol=1e-3)
    assert (np.signbit(found) == np.signbit(wanted))[~np.isnan(wanted)].all()


def test_subnormal_powers_of_two_are_kept_or_flushed(table: Table) -> None:
    count = len(TINY_RESULTS)
    kept = table.found["tiny ex2.approx.f32"][0][:count]
    np.testing.assert_allclose(kept, np.exp2(TINY_RESULTS.astype(np.float64)), rtol=1e-3, atol=2.0**-149)
    assert kept[:3].all()
    assert not table.found["tiny ex2.approx.ftz.f32"][0][:count].any()


def test_double_starting_values_are_coarse(table: Table) -> None:
    for name, exact in (("rcp", 1 / DOUBLES), ("rsqrt", 1 / np.sqrt(DOUBLES))):
        found = table.found[f"{name}.approx.ftz.f64"][0]
        np.testing.assert_allclose(found, exact, rtol=2.0**-19)
        assert not (found.view(np.uint64) & np.uint64(0xFFFFFFFF)).any()
