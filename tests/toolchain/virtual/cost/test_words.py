"""Loads wait for stores that may be of their words."""

import pytest

from cudamaster.toolchain.devices.virtual.cost.words import Stores, place_of
from tests.doubles.sampled_launch import code


def waits(store: str, load: str) -> bool:
    first, second = (place_of(code(f"{text} ret;")[0]) for text in (store, load))
    if first is None or second is None:
        return False
    stores: Stores[str] = Stores()
    stores.add(first, "made")
    return list(stores.that_may_be(second)) == ["made"]


@pytest.mark.parametrize(
    ("load", "waiting"),
    [
        ("ld.shared.f32 %f1, [%r2];", True),
        ("ld.shared.f32 %f1, [%r1];", True),
        ("ld.shared.f32 %f1, [%r1+4];", False),
        ("ld.shared.v4.f32 {%f1,%f2,%f3,%f4}, [%r1+-8];", True),
        ("ld.global.f32 %f1, [%rd1];", False),
    ],
)
def test_a_load_waits_for_a_store_of_its_space_unless_their_offsets_tell_them_apart(
    load: str, waiting: bool
) -> None:
    assert waits("st.shared.f32 [%r1], %f9;", load) is waiting


def test_what_no_kernel_writes_waits_for_nothing() -> None:
    assert waits("st.global.f32 [%rd1], %f9;", "ld.global.f32 %f1, [%rd2];")
    assert not waits("st.global.f32 [%rd1], %f9;", "ld.global.nc.f32 %f1, [%rd2];")
