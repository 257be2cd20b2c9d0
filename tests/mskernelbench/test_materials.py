"""Arguments and answers, made once and kept."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Lock
from time import sleep

import numpy as np
import pytest

from cudamaster.toolchain.arguments import Access, Scalar, Tensor
from mskernelbench.catalog import load_operator, operator_names
from mskernelbench.materials import Kept, Materials
from mskernelbench.operator import Contract, Precision, Workload
from mskernelbench.poison import poisoned, still_poisoned

STENCIL = load_operator("stencil_2d")
WORKLOAD = Workload("check", {"r": 0.1, "nx": 5, "ny": 7})


def bytes_of(materials: Materials, draw: int = 0) -> bytes:
    return b"".join(t.array.tobytes() for t in materials.arguments(WORKLOAD, draw).tensors)


@pytest.mark.parametrize("precision", Precision)
@pytest.mark.parametrize("name", operator_names())
def test_arguments_follow_the_entrys_signature(name: str, precision: Precision) -> None:
    operator = load_operator(name)
    materials = Materials(operator, precision, seed=0)
    for workload in operator.in_set("check"):
        arguments = materials.arguments(workload)
        assert [item.name for item in arguments.items] == [p.name for p in operator.signature]
        filled = [t.array for t in arguments.tensors if t.access is not Access.OUTPUT]
        assert all(array.flags.c_contiguous for array in filled)
        scalars = [item for item in arguments.items if isinstance(item, Scalar)]
        absent = [item.name for item in scalars if item.ctype == "null"]
        assert absent == list(workload.absent)
        assert all(item.ctype in ("int", "float", "bf16", "null") for item in scalars)


def test_outputs_start_as_poison_or_as_zeros_by_the_contract() -> None:
    arguments = Materials(STENCIL, Precision.BF16, seed=0).arguments(WORKLOAD)
    (output,) = (t for t in arguments.tensors if t.access is Access.OUTPUT)
    assert output.array.base.nbytes == output.array.itemsize, "one element in memory"
    assert still_poisoned(output.array).all()
    assert np.isnan(output.array.astype(np.float32)).all()

    zeroed = replace(STENCIL, contract=Contract.ZEROED)
    (output,) = (
        t
        for t in Materials(zeroed, Precision.FP32, 0).arguments(WORKLOAD).tensors
        if t.access is Access.OUTPUT
    )
    assert (output.array == 0).all()


def test_poison_is_not_the_nan_that_arithmetic_makes() -> None:
    with np.errstate(invalid="ignore"):
        quiet = np.array([np.inf], np.float32) - np.array([np.inf], np.float32)
    assert not still_poisoned(quiet).any()
    assert still_poisoned(poisoned((2,), np.dtype(np.int32))).all()


def test_seed_and_draw_decide_the_bytes() -> None:
    one = Materials(STENCIL, Precision.FP32, seed=1)
    assert bytes_of(one) == bytes_of(Materials(STENCIL, Precision.FP32, seed=1))
    assert bytes_of(one) != bytes_of(one, draw=1)
    assert bytes_of(one) != bytes_of(Materials(STENCIL, Precision.FP32, seed=2))
    assert one.arguments(WORKLOAD).label != one.arguments(WORKLOAD, 1).label


def test_the_answer_belongs_to_the_arguments_of_the_same_draw() -> None:
    materials = Materials(STENCIL, Precision.FP32, seed=1)
    grid = next(
        i.array for i in materials.arguments(WORKLOAD, 1).items if isinstance(i, Tensor) and i.name == "u_old"
    )
    assert (materials.answers(WORKLOAD, 1)["u_new"].reference[0] == grid[0]).all()


def test_a_value_is_made_once_though_many_threads_ask() -> None:
    made, lock = [], Lock()

    def make() -> int:
        with lock:
            made.append(1)
        sleep(0.02)
        return 7

    kept: Kept[int] = Kept(100, lambda value: 1)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: kept.get("key", make), range(8))) == [7] * 8
    assert len(made) == 1


def test_the_least_recently_used_value_is_dropped_beyond_the_limit() -> None:
    made: list[str] = []
    kept: Kept[int] = Kept(2, lambda value: 1)
    for key in ("a", "b", "a", "c", "a", "b"):
        kept.get(key, lambda key=key: made.append(key) or 1)
    assert made == ["a", "b", "c", "b"]
