"""Tensor products: every form of `mma` on its documented fragments, and whole kernels that nvcc compiled."""

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.isa.tensor import FORMS, Form
from tests.toolchain.virtual.isa.conftest import Runner
from tests.toolchain.virtual.isa.opcodes import THREADS, Launch, Table

RNG = np.random.default_rng(7)
Array = NDArray[Any]
DTYPES: dict[str, Any] = {
    "bf16": ml_dtypes.bfloat16, "f16": np.float16, "tf32": np.float32, "f64": np.float64, "s8": np.int8,
    "u8": np.uint8, "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2, "f32": np.float32,
    "s32": np.int32,
}  # fmt: skip
LANES = np.arange(32)
GROUP, QUAD = LANES // 4, LANES % 4


def words(name: str) -> tuple[int, int, str, str, str]:
    """Rows, depth, and the types of D, A and B of a form."""
    shape, d, a, b = name.removeprefix("satfinite_").split("_")
    rows, depth = int(shape[1 : shape.index("n")]), int(shape[shape.index("k") + 1 :])
    return rows, depth, d, a, b


def opcode(name: str) -> str:
    _, _, d, a, b = words(name)
    shape = name.removeprefix("satfinite_").split("_")[0]
    limit = ".satfinite" if name.startswith("satfinite") else ""
    return f"mma.sync.aligned.{shape}.row.col{limit}.{d}.{a}.{b}.{d}"


def packed(elements: list[Array]) -> Array:
    """Lanes of one register from its elements, lowest first."""
    return np.ascontiguousarray(np.stack(elements, 1)).reshape(-1)


def registers_of_a(matrix: Array) -> list[Array]:
    """PTX ISA 9.0, fragments of A: rows g and g + 8 alternate, then k goes on by four registers' elements."""
    rows, depth = matrix.shape
    parts = max(1, 4 // matrix.dtype.itemsize)
    return [
        packed([matrix[GROUP + half, k + QUAD * parts + part] for part in range(parts)])
        for k in range(0, depth, 4 * parts)
        for half in range(0, rows, 8)
    ]


def registers_of_b(matrix: Array) -> list[Array]:
    parts = max(1, 4 // matrix.dtype.itemsize)
    return [
        packed([matrix[k + QUAD * parts + part, GROUP] for part in range(parts)])
        for k in range(0, matrix.shape[0], 4 * parts)
    ]


def registers_of_c(matrix: Array) -> list[Array]:
    parts = max(1, 4 // matrix.dtype.itemsize)
    return [
        packed([matrix[GROUP + half, 2 * QUAD + column + part] for part in range(parts)])
        for half in range(0, matrix.shape[0], 8)
        for column in range(0, 2, parts)
    ]


def numbers(kind: str, shape: tuple[int, int]) -> Array:
    """Whole numbers and halves that every type holds exactly."""
    values = RNG.integers(0 if kind == "u8" else -6, 7, shape)
    return (values if kind in ("s8", "u8", "s32") else values / 2).astype(DTYPES[kind])


MATRICES: dict[str, tuple[Array, Array, Array]] = {
    name: (numbers(a, (rows, depth)), numbers(b, (depth, 8)), numbers(d, (rows, 8)))
    for name, (rows, depth, d, a, b) in ((name, words(name)) for name in FORMS)
}
for _name, _matrices in MATRICES.items():
    if _name.startswith("satfinite"):
        _matrices[2][:] = np.where(RNG.integers(0, 2, (16, 8)) == 1, 2**31 - 20, -(2**31) + 20)


def listed(prefix: str, first: int, count: int) -> str:
    return "{" + ", ".join(f"%{prefix}{first + i}" for i in range(count)) + "}"


def add_product(
    cases: Table, name: str, form: Form, matrices: tuple[Array, Array, Array], rounding: str = ""
) -> None:
    kind = "f64" if form.element == "double" else "b32"
    a, b, c = matrices
    sources = [*registers_of_a(a), *registers_of_b(b), *registers_of_c(c)]
    operands = [listed("s", 0, form.a), listed("s", form.a, form.b), listed("s", form.a + form.b, form.d)]
    if form.a == form.b == 1:
        operands[:2] = ["%s0", "%s1"]
    text = f"{opcode(name)}{rounding} {listed('d', 0, form.d)}, {', '.join(operands)};"
    cases.add(name, " ".join([kind] * form.d), " ".join([kind] * len(sources)), sources, text)


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    cases = Table()
    for name, form in FORMS.items():
        add_product(cases, name, form, MATRICES[name])
    square = np.arange(64, dtype=np.uint16).reshape(8, 8)
    cases.add(
        "movmatrix", "b32", "b32", registers_of_c(square), "movmatrix.sync.aligned.m8n8.trans.b16 %d0, %s0;"
    )
    cases.run(launch)
    return cases


@pytest.mark.parametrize("name", FORMS)
def test_mma_multiplies_the_documented_fragments(table: Table, name: str) -> None:
    a, b, c = MATRICES[name]
    exact = a.astype(np.float64) @ b.astype(np.float64) + c.astype(np.float64)
    if name.startswith("satfinite"):
        exact = np.clip(exact, -(2**31), 2**31 - 1)
    expected = registers_of_c(exact.astype(c.dtype))
    for found, wanted in zip(table.found[name], expected, strict=True):
        assert (found.reshape(THREADS // 32, 32) == wanted.view(found.dtype)).all()


DOUBLES = [name for name, form in FORMS.items() if form.element == "double"]
DIRECTED = {"rz": 0, "rm": -1, "rp": 1}


def directed(mode: str, exact: Fraction) -> float:
    """The nearest float64 that does not lie beyond `exact` in the mode's direction."""
    near, to = float(exact), DIRECTED[mode] or (-1 if exact > 0 else 1)
    return math.nextafter(near, to * math.inf) if (Fraction(near) - exact) * to < 0 else near


@pytest.mark.parametrize("mode", DIRECTED)
@pytest.mark.parametrize("name", DOUBLES)
def test_products_of_doubles_round_each_step_as_they_are_told(launch: Launch, name: str, mode: str) -> None:
    rows, depth, *_ = words(name)
    a, b, c = (RNG.standard_normal(shape) for shape in ((rows, depth), (depth, 8), (rows, 8)))
    cases, form = Table(), FORMS[name]
    add_product(cases, name, form, (a, b, c), f".{mode}")
    cases.run(launch)
    expected = c.copy()
    for row, column in np.ndindex(rows, 8):
        for k in range(depth):
            exact = Fraction(a[row, k]) * Fraction(b[k, column]) + Fraction(expected[row, column])
            expected[row, column] = directed(mode, exact)
    for found, wanted in zip(cases.found[name], registers_of_c(expected), strict=True):
        assert (found.reshape(THREADS // 32, 32) == wanted).all()


def test_movmatrix_transposes(table: Table) -> None:
    (expected,) = registers_of_c(np.arange(64, dtype=np.uint16).reshape(8, 8).T.copy())
    assert (table.found["movmatrix"][0][:32] == expected.view(np.uint32)).all()


# --- kernels


@pytest.fixture(scope="module")
def ptx(nvcc: Callable[..., str]) -> str:
    return nvcc(Path(__file__).parent / "tensor.cu")


def run(runner: Runner, ptx: str, kernel: str, arrays: list[Array], *numbers: int, **shape: int) -> Any:
    views = [array.view(np.uint8) for array in arrays]
    return runner.launch(ptx, kernel, [*views, *[np.int32(n) for n in numbers]], **{"block": 32, **shape})


def gemm(runner: Runner, ptx: str, kernel: str) -> tuple[Array, Array]:
    a, b = (RNG.standard_normal((64, 128)).astype(ml_dtypes.bfloat16) for _ in range(2))
    b = np.ascontiguousarray(b.reshape(128, 64))
    c = np.zeros((64, 64), np.float32)
    assert run(runner, ptx, kernel, [a, b, c], 64, 128, block=128) is None
    return c, a.astype(np.float64) @ b.astype(np.float64)


def test_pipelined_matrix_product(runner: Runner, ptx: str) -> None:
    found, exact = gemm(runner, ptx, "gemm")
    np.testing.assert_allclose(found, exact, atol=1e-4)


def test_a_missing_wait_is_seen_as_poison(runner: Runner, ptx: str) -> None:
    found, _ = gemm(runner, ptx, "gemm_without_wait")
    assert np.isnan(found).any()


PRODUCTS = [
    ("bf16_rr_16_16", "bf16", "f32"), ("bf16_cc_32_8", "bf16", "f32"), ("bf16_rc_8_32", "bf16", "f32"),
    ("f16_cr_16_16", "f16", "f32"), ("f16_rr_32_8", "f16", "f32"), ("f16_cr_8_32", "f16", "f32"),
    ("tf32_rc_16_16", "tf32", "f32"), ("s8_rc_16_16", "s8", "s32"), ("u8_rr_32_8", "u8", "s32"),
    ("f16_half_16_16", "f16", "f16"),
]  # fmt: skip


@pytest.mark.parametrize(("kernel", "kind", "sum_kind"), PRODUCTS)
def test_wmma_shapes_and_layouts(runner: Runner, ptx: str, kernel: str, kind: str, sum_kind: str) -> None:
    words = kernel.split("_")
    layouts = words[1] if len(words[1]) == 2 else "rc"
    height, width, depth = int(words[-2]), int(words[-1]), 48
    a, b = numbers(kind, (height, depth)), numbers(kind, (depth, width))
    stored = [
        np.ascontiguousarray(matrix if layout == "r" else matrix.T)
        for matrix, layout in zip((a, b), layouts, strict=True)
    ]
    c = np.zeros((height, width), DTYPES[sum_kind])
    assert run(runner, ptx, kernel, [*stored, c], depth) is None
    assert (c.astype(np.float64) == 2 * (a.astype(np.float64) @ b.astype(np.float64))).all()


def test_wmma_of_doubles(runner: Runner, ptx: str) -> None:
    a, b = RNG.standard_normal((8, 12)), RNG.standard_normal((12, 8))
    c = np.zeros((8, 8))
    assert run(runner, ptx, "doubles", [a, b, c], 12) is None
    np.testing.assert_allclose(c.T, a @ b, rtol=1e-13, atol=1e-14)


def test_wmma_of_nibbles_and_bits(runner: Runner, ptx: str) -> None:
    for kernel, width in (("nibbles", 4), ("bits", 1)):
        packed_rows = RNG.integers(0, 1 << 32, (2, 8, 256 * width // 32), np.uint32)
        places = np.arange(0, 32, width, dtype=np.uint32)
        elements = packed_rows[..., None] >> places & np.uint32((1 << width) - 1)
        values = elements.reshape(2, 8, 256).astype(int)
        c = RNG.integers(-9, 9, (8, 8), np.int32)
        if width == 4:
            values = np.where(values > 7, values - 16, values)
            wanted = c + values[0] @ values[1].T
        else:
            wanted = c + (values[0][:, None] ^ values[1][None]).sum(2)
        assert run(runner, ptx, kernel, [packed_rows[0].copy(), packed_rows[1].copy(), c], 256) is None
        assert np.array_equal(c, wanted)


def test_wmma_sums_may_change_their_type(runner: Runner, ptx: str) -> None:
    a, b, c = (numbers("f16", (16, 16)) for _ in range(3))
    d, e = np.zeros((16, 16), np.float32), np.zeros((16, 16), np.float16)
    assert runner.launch(ptx, "mixed", [a, b, c, d, e], 32) is None
    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert np.array_equal(d, exact + c)
    assert np.array_equal(e, (2 * exact + c).astype(np.float16))


def test_copies_land_group_by_group_and_fill_with_zeros(runner: Runner, ptx: str) -> None:
    given = np.arange(1, 331, dtype=np.float32)
    found = np.zeros(384, np.float32)
    assert run(runner, ptx, "groups", [given, found], 330) is None
    assert (found[:128] == given[:128]).all()
    assert np.isnan(found[128:256]).all(), "the last group was not waited for"
    assert (found[256:330] == given[256:330]).all()
    assert (found[330:] == 0).all()


def test_a_copy_from_beyond_the_buffer_is_a_fault(runner: Runner, ptx: str) -> None:
    given, found = np.zeros(330, np.float32), np.zeros(384, np.float32)
    fault = run(runner, ptx, "groups", [given, found], 333)
    assert fault is not None
    assert fault.kind == "out_of_bounds"


def test_a_wmma_load_from_beyond_the_buffer_is_a_fault(runner: Runner, ptx: str) -> None:
    a, b = numbers("bf16", (16, 16)), numbers("bf16", (16, 16))
    c = np.zeros((16, 16), np.float32)
    fault = run(runner, ptx, "bf16_rr_16_16", [a, b, c], 32)
    assert fault is not None
    assert fault.kind == "out_of_bounds"


def test_matrices_are_loaded_and_stored_whole_and_transposed(runner: Runner, ptx: str) -> None:
    given = RNG.integers(0, 1 << 16, (4, 8, 8)).astype(np.uint16)
    found = np.zeros((2, 4, 8, 8), np.uint16)
    assert run(runner, ptx, "matrices", [given, found]) is None
    assert (found == given.transpose(0, 2, 1)).all()
