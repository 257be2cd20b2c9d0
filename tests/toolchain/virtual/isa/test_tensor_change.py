"""Tensor maps that kernels change: each field, in shared and in global memory, and maps made from nothing."""

import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from cudamaster.toolchain.outputs import Fault
from tests.toolchain.virtual.isa.conftest import Runner
from tests.toolchain.virtual.isa.test_tensor_maps import ELEMENTS, Tensor, encode, expected

RNG = np.random.default_rng(71)
Array = NDArray[Any]
MAP_BYTES, SHARED_BYTES, THREADS = 128, 4096, 64
MADE = {
    "u8": (np.uint8, 0), "f16": (np.float16, 1), "f32": (np.float32, 2), "f64": (np.float64, 3),
    "bf16": (ml_dtypes.bfloat16, 3),
}  # fmt: skip
SWIZZLED = {0: 64, 1: 32, 2: 64, 3: 128}
"""Bytes of a row of the box."""


@pytest.fixture(scope="module")
def ptx(nvcc: Callable[..., str]) -> str:
    return nvcc(Path(__file__).with_name("tensor_change.cu"))


@pytest.fixture
def tensor(runner: Runner) -> Iterator[Callable[[Array], Tensor]]:
    """`tensor(values)` puts them into device memory."""
    places = []

    def make(values: Array) -> Tensor:
        places.append(runner.upload(values))
        return Tensor(places[-1], values, ELEMENTS[values.dtype.type])

    yield make
    for place in places:
        runner.native.vg_free(place)


def shape_of(
    tensor: Tensor, box: Sequence[int], first: Sequence[int], step: int = 1, **other: int
) -> np.void:
    """The kernel's argument."""
    rows, columns = tensor.values.shape
    fields = {
        "address": tensor.place,
        "stride": tensor.values.strides[0],
        "columns": columns,
        "rows": rows,
    } | other
    head = struct.pack("<QQII", *fields.values())
    return np.void(head + struct.pack("<IIIii20x", *box, step, *first))


def copied(
    runner: Runner, ptx: str, kernel: str, maps: list[Any], shape: np.void, nbytes: int
) -> tuple[bytes, Fault | None]:
    """What the box holds, and the fault if any."""
    found = np.zeros(nbytes, np.uint8)
    arguments = [*maps, np.zeros(MAP_BYTES, np.uint8), shape, found, np.int32(nbytes)]
    fault = runner.launch(ptx, kernel, arguments, THREADS, shared=SHARED_BYTES)
    return found.tobytes(), fault


@pytest.mark.parametrize("kernel", ["in_shared", "in_global"])
@pytest.mark.parametrize(("first", "step"), [((0, 0), 1), ((-2, 3), 1), ((8, 5), 2)])
def test_a_map_takes_another_tensor_and_box(
    runner: Runner,
    ptx: str,
    tensor: Callable[[Array], Tensor],
    kernel: str,
    first: tuple[int, int],
    step: int,
) -> None:
    old = tensor(RNG.integers(0, 100, (4, 8)).astype(np.float32))
    new = tensor(RNG.integers(0, 100, (9, 20)).astype(np.float32))
    assert encode(old, (4, 2)) == 0
    nbytes = 8 * -(-6 // step) * 4
    found, fault = copied(runner, ptx, kernel, [old.map], shape_of(new, (8, 6), first, step), nbytes)
    assert fault is None
    assert found == expected(new.values, first, (8, 6), (1, step), 0)


@pytest.mark.parametrize("name", MADE)
def test_a_map_is_made_from_zeros(
    runner: Runner, ptx: str, tensor: Callable[[Array], Tensor], name: str
) -> None:
    kind, swizzle = MADE[name]
    made = tensor(RNG.integers(0, 100, (20, 192)).astype(kind))
    width = SWIZZLED[swizzle] // made.values.itemsize
    found, fault = copied(
        runner,
        ptx,
        f"made_{name}",
        [],
        shape_of(made, (width, 16), (16, 2)),
        width * 16 * made.values.itemsize,
    )
    assert fault is None
    assert found == expected(made.values, (16, 2), (width, 16), (1, 1), swizzle)


def test_what_lies_outside_is_nan_where_a_map_is_made_so(
    runner: Runner, ptx: str, tensor: Callable[[Array], Tensor]
) -> None:
    made = tensor(np.ones((4, 16), np.float32))
    found, _ = copied(runner, ptx, "made_f32", [], shape_of(made, (16, 8), (0, 2)), 512)
    values = np.frombuffer(found, np.float32).reshape(8, 16)
    assert (values[:2] == 1).all()
    assert np.isnan(values[2:]).all()


def test_denormals_are_flushed_where_a_map_is_made_so(
    runner: Runner, ptx: str, tensor: Callable[[Array], Tensor]
) -> None:
    made = tensor(np.resize(np.array([1e-40, -1e-40, 1.5, np.inf], np.float32), (4, 16)))
    found, _ = copied(runner, ptx, "made_flushed", [], shape_of(made, (16, 4), (0, 0)), 256)
    values = np.frombuffer(found, np.float32)
    assert values.tobytes() == np.resize(np.array([0.0, -0.0, 1.5, np.inf], np.float32), 64).tobytes()


@pytest.mark.parametrize("wrong", [{"address": 8}, {"stride": 72}, {"address": 0}])
def test_what_hardware_refuses_is_a_fault(
    runner: Runner, ptx: str, tensor: Callable[[Array], Tensor], wrong: dict[str, int]
) -> None:
    made = tensor(np.ones((4, 16), np.float32))
    _, fault = copied(runner, ptx, "made_f32", [], shape_of(made, (16, 8), (0, 2), **wrong), 512)
    assert fault is not None
    assert "that hardware refuses" in fault.message
    assert fault.line


@pytest.mark.parametrize(
    ("box", "kind"), [((257, 1), "illegal"), ((2, 2), "illegal"), ((8, 4), "unsupported")]
)
def test_a_box_that_does_not_fit_its_map(
    runner: Runner, ptx: str, tensor: Callable[[Array], Tensor], box: tuple[int, int], kind: str
) -> None:
    made = tensor(np.ones((4, 512), np.float32))
    _, fault = copied(runner, ptx, "made_f32", [], shape_of(made, box, (0, 0)), 512)
    assert fault is not None
    assert fault.kind == kind


def test_what_is_no_map_is_named(runner: Runner, ptx: str, tensor: Callable[[Array], Tensor]) -> None:
    new = tensor(np.ones((8, 8), np.float32))
    _, fault = copied(
        runner, ptx, "in_shared", [np.void(bytes(127) + b"\1")], shape_of(new, (4, 4), (0, 0)), 64
    )
    assert fault is not None
    assert "was not made by cuTensorMapEncodeTiled" in fault.message


def test_elements_that_are_not_covered_are_refused(runner: Runner, ptx: str) -> None:
    with pytest.raises(Unsupported, match=r"tensormap\.replace.*this elemtype"):
        runner.launch(ptx, "tf32", [np.zeros(MAP_BYTES, np.uint8)], 1)
