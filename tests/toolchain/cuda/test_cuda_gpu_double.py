"""The fake GPU has the real functions' parameters, and sums as the real kernel does."""

import inspect

import numpy as np
import pytest
from cuda.bindings import driver

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.devices.cuda.fingerprint import ENTRY, SOURCE, fingerprint_code
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.finder import find_toolchain
from cudamaster.toolchain.outputs import Outputs
from tests.doubles.cuda_gpu import FakeGpu, fingerprint

NAMES = [name for name in vars(FakeGpu) if name.startswith("cu")]


@pytest.mark.parametrize("name", NAMES)
def test_a_function_takes_what_the_real_one_takes(name: str) -> None:
    faked = list(inspect.signature(getattr(FakeGpu, name)).parameters)[1:]
    assert faked == list(inspect.signature(getattr(driver, name)).parameters)


def test_the_fingerprint_of_the_gpu_is_the_fakes() -> None:
    words = np.random.default_rng(3).integers(0, 2**64, 1500, np.uint64)
    tensors = (Tensor("words", words, Access.INPUT), Tensor("sum", np.zeros(1, np.uint64), Access.IN_PLACE))
    scalars = (Scalar("count", words.size, "int"), Scalar("seed", 12345, "int"))
    virtual = open_device("virtual:h200")
    try:
        build = virtual.build(KernelSource(SOURCE.read_text(), ENTRY, SOURCE.name))
        outputs = virtual.run(build, Arguments((*tensors, *scalars), "fingerprint"))
        assert isinstance(outputs, Outputs), outputs
        assert int(outputs.arrays["sum"][0]) == fingerprint(words, 12345)
    finally:
        virtual.close()


def test_any_changed_bit_and_any_swap_changes_a_fingerprint() -> None:
    words = np.arange(64, dtype=np.uint64)
    known = {fingerprint(words, 1), fingerprint(words[::-1].copy(), 1), fingerprint(words, 2)}
    for place in range(64):
        changed = words.copy()
        changed[place] ^= np.uint64(1 << place)
        known.add(fingerprint(changed, 1))
    assert len(known) == 67


def test_the_kernels_code_is_an_elf_file_for_the_gpu() -> None:
    code = fingerprint_code(find_toolchain(), "sm_90a")
    assert code.startswith(b"\x7fELF")
    assert b"fingerprint" in code
