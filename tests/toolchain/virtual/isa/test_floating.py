"""Known answers of single and double precision instructions, against NumPy and exact fractions."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.toolchain.virtual.isa.opcodes import THREADS, Launch, Table

RNG = np.random.default_rng(3)
TINY = np.float32(1e-40)
EDGES = np.array(
    [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, TINY, -TINY, 3.4e38, 1.17549435e-38], np.float32
)


def operands(kind: type[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    first, second = np.repeat(EDGES, len(EDGES)).astype(kind), np.tile(EDGES, len(EDGES)).astype(kind)
    rest = RNG.standard_normal((3, THREADS - len(first))) * 10.0 ** RNG.integers(-5, 5, THREADS - len(first))
    a = np.concatenate([first, rest[0].astype(kind)])
    b = np.concatenate([second, rest[1].astype(kind)])
    return a, b, RNG.permutation(a)


OPERANDS = {"f32": operands(np.float32), "f64": operands(np.float64)}
Way = Callable[..., NDArray[Any]]


def least(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    return np.where(a == b, np.where(np.signbit(a), a, b), np.fmin(a, b))


def greatest(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    return np.where(a == b, np.where(np.signbit(a), b, a), np.fmax(a, b))


def or_nan(way: Way) -> Way:
    def computed(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        result: NDArray[Any] = np.where(np.isnan(a) | np.isnan(b), np.nan, way(a, b)).astype(a.dtype)
        return result

    return computed


def xorsign(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    sign = np.where(np.signbit(a) ^ np.signbit(b), -1, 1).astype(a.dtype)
    result: NDArray[Any] = sign * least(np.abs(a), np.abs(b))
    return result


def clamped(a: NDArray[Any]) -> NDArray[Any]:
    return np.where(a > 0, np.minimum(a, 1), 0).astype(a.dtype)


def flushed(a: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.abs(a) < np.float32(1.17549435e-38), np.copysign(np.float32(0), a), a)


WAYS: dict[str, tuple[int, Way]] = {
    "add.rn": (2, lambda a, b: a + b),
    "sub": (2, lambda a, b: a - b),
    "mul.rn": (2, lambda a, b: a * b),
    "div.rn": (2, lambda a, b: a / b),
    "rcp.rn": (1, lambda a: 1 / a),
    "sqrt.rn": (1, np.sqrt),
    "neg": (1, np.negative),
    "abs": (1, np.abs),
    "min": (2, least),
    "max": (2, greatest),
    "copysign": (2, lambda a, b: np.copysign(b, a)),
}
SINGLE: dict[str, tuple[int, Way]] = {
    "add.sat.f32": (2, lambda a, b: clamped(a + b)),
    "add.ftz.f32": (2, lambda a, b: flushed(flushed(a) + flushed(b))),
    "mul.ftz.sat.f32": (2, lambda a, b: clamped(flushed(flushed(a) * flushed(b)))),
    "max.NaN.f32": (2, or_nan(greatest)),
    "min.NaN.f32": (2, or_nan(least)),
    "min.xorsign.abs.f32": (2, xorsign),
}
ROWS = [
    (f"{name}.{kind}", kind, count, way) for name, (count, way) in WAYS.items() for kind in ("f32", "f64")
]
ROWS += [(name, "f32", count, way) for name, (count, way) in SINGLE.items()]

CONDITIONS: dict[str, Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]] = {
    "eq": np.equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "ne": lambda a, b: (a != b) & ~np.isnan(a) & ~np.isnan(b),
    "equ": lambda a, b: (a == b) | np.isnan(a) | np.isnan(b), "neu": np.not_equal,
    "ltu": lambda a, b: ~(a >= b), "leu": lambda a, b: ~(a > b),
    "gtu": lambda a, b: ~(a <= b), "geu": lambda a, b: ~(a < b),
    "num": lambda a, b: ~np.isnan(a) & ~np.isnan(b), "nan": lambda a, b: np.isnan(a) | np.isnan(b),
}  # fmt: skip
PROPERTIES: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "finite": np.isfinite, "infinite": np.isinf, "notanumber": np.isnan, "number": lambda a: ~np.isnan(a),
    "normal": lambda a: np.isfinite(a) & (np.abs(a) >= np.float32(1.17549435e-38)),
    "subnormal": lambda a: (a != 0) & (np.abs(a) < np.float32(1.17549435e-38)),
}  # fmt: skip
DIRECTED = {"rz": 0, "rm": -1, "rp": 1}


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    made = Table()
    for name, kind, count, _ in ROWS:
        made.add(name, kind, " ".join([kind] * count), OPERANDS[kind][:count])
    for kind in ("f32", "f64"):
        made.add(f"fma.rn.{kind}", kind, f"{kind} {kind} {kind}", OPERANDS[kind])
        for mode in DIRECTED:
            for name, count in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("div", 2), ("sqrt", 1)):
                made.add(f"{name}.{mode}.{kind}", kind, " ".join([kind] * count), OPERANDS[kind][:count])
        for name in CONDITIONS:
            made.add(f"setp.{name}.{kind}", "pred", f"{kind} {kind}", OPERANDS[kind][:2])
        for name in PROPERTIES:
            made.add(f"testp.{name}.{kind}", "pred", kind, OPERANDS[kind][:1])
    made.run(launch)
    return made


@pytest.mark.parametrize(("name", "kind", "count", "way"), ROWS, ids=[row[0] for row in ROWS])
def test_arithmetic_matches_numpy(table: Table, name: str, kind: str, count: int, way: Way) -> None:
    with np.errstate(all="ignore"):
        wanted = way(*OPERANDS[kind][:count])
    found = table.found[name][0]
    numbers = ~np.isnan(wanted)
    assert np.array_equal(np.isnan(found), ~numbers)
    assert np.array_equal(found[numbers], wanted[numbers])
    assert np.array_equal(np.signbit(found[numbers]), np.signbit(wanted[numbers]))


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_a_fused_multiply_add_rounds_once(table: Table, kind: str) -> None:
    found = table.found[f"fma.rn.{kind}"][0]
    for a, b, c, got in zip(*OPERANDS[kind], found, strict=True):
        if np.isfinite([a, b, c, got]).all() and got:
            exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
            below, above = np.nextafter(got, -np.inf), np.nextafter(got, np.inf)
            error = abs(Fraction(float(got)) - exact)
            assert all(error <= abs(Fraction(float(n)) - exact) for n in (below, above) if np.isfinite(n))


def is_rounded(got: Any, exact: Fraction, mode: str) -> bool:
    """Whether `got` is the number next to `exact` on the side that `mode` names."""
    towards = DIRECTED[mode] or (-1 if exact > 0 else 1)
    value = Fraction(float(got))
    with np.errstate(over="ignore"):
        following = np.nextafter(got, got.dtype.type(-towards * np.inf))
    on_side = value <= exact if towards < 0 else value >= exact
    beyond = not np.isfinite(following) or (
        Fraction(float(following)) > exact if towards < 0 else Fraction(float(following)) < exact
    )
    return bool(on_side and (value == exact or beyond))


EXACT: dict[str, Callable[..., Fraction]] = {
    "add": lambda a, b, c: a + b,
    "sub": lambda a, b, c: a - b,
    "mul": lambda a, b, c: a * b,
    "fma": lambda a, b, c: a * b + c,
    "div": lambda a, b, c: a / b,
}


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("mode", list(DIRECTED))
@pytest.mark.parametrize("name", list(EXACT))
def test_directed_rounding_takes_the_neighbour_on_that_side(
    table: Table, name: str, mode: str, kind: str
) -> None:
    found = table.found[f"{name}.{mode}.{kind}"][0]
    for a, b, c, got in zip(*OPERANDS[kind], found, strict=True):
        if np.isfinite([a, b, c, got]).all() and (b or name != "div"):
            exact = EXACT[name](*(Fraction(float(v)) for v in (a, b, c)))
            assert is_rounded(got, exact, mode), (a, b, c, got)


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("mode", list(DIRECTED))
def test_directed_square_roots_enclose_the_exact_one(table: Table, mode: str, kind: str) -> None:
    found = table.found[f"sqrt.{mode}.{kind}"][0]
    for a, got in zip(OPERANDS[kind][0], found, strict=True):
        if np.isfinite(a) and a > 0:
            square = Fraction(float(got)) ** 2
            assert square >= Fraction(float(a)) if mode == "rp" else square <= Fraction(float(a))


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("name", list(CONDITIONS))
def test_comparisons_treat_nan_as_declared(table: Table, name: str, kind: str) -> None:
    a, b, _ = OPERANDS[kind]
    assert np.array_equal(table.found[f"setp.{name}.{kind}"][0], CONDITIONS[name](a, b).astype(np.uint32))


@pytest.mark.parametrize("name", list(PROPERTIES))
def test_properties_of_singles(table: Table, name: str) -> None:
    found = table.found[f"testp.{name}.f32"][0]
    assert np.array_equal(found, PROPERTIES[name](OPERANDS["f32"][0]).astype(np.uint32))


def test_a_partial_warp_computes_the_same(table: Table, launch: Launch) -> None:
    again, threads = Table(rows=table.rows), THREADS - 12
    again.run(lambda ptx, kernel, arrays, _: launch(ptx, kernel, arrays, threads))
    for name, found in again.found.items():
        for part, whole in zip(found, table.found[name], strict=True):
            assert part[:threads].tobytes() == whole[:threads].tobytes(), name
