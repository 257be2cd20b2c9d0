"""The fake GPU has the real functions' parameters, and sums as the real kernel does."""

import inspect
import threading
from typing import Any

import numpy as np
import pytest
from cuda.bindings import driver

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.devices.cuda.context import Context
from cudamaster.toolchain.devices.cuda.driver import CudaDriver
from cudamaster.toolchain.devices.cuda.fingerprint import ENTRY, SOURCE, fingerprint_code, fingerprint_library
from cudamaster.toolchain.devices.cuda.sharing import BorrowedMemory, SharedMemory
from cudamaster.toolchain.errors import DriverFailed
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.finder import find_toolchain
from cudamaster.toolchain.outputs import Outputs
from tests.doubles.cuda_gpu import PAGE_BYTES, FakeGpu, fingerprint, small_card

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
    code = fingerprint_code(fingerprint_library(find_toolchain(), "sm_90a"))
    assert code.startswith(b"\x7fELF")
    assert b"fingerprint" in code


def used(gpu: FakeGpu) -> Context:
    context = Context(CudaDriver(gpu), 0)
    context.use()
    return context


def error_of(context: Context, name: str, *arguments: Any) -> str:
    with pytest.raises(DriverFailed) as caught:
        context.driver.call(name, *arguments)
    return caught.value.error.removeprefix("CUDA_ERROR_")


def test_a_thread_needs_a_current_context_that_was_not_given_up() -> None:
    gpu = FakeGpu([small_card()])
    context = used(gpu)
    elsewhere: list[str] = []
    thread = threading.Thread(target=lambda: elsewhere.append(error_of(context, "cuMemAlloc", 8)))
    thread.start()
    thread.join()
    context.close()

    assert elsewhere == ["INVALID_CONTEXT"]
    assert error_of(context, "cuMemAlloc", 8) == "CONTEXT_IS_DESTROYED"


def test_a_kernels_fault_is_the_answer_to_every_later_call() -> None:
    context = used(FakeGpu([small_card()], wait=lambda: 700))

    assert error_of(context, "cuCtxSynchronize") == "ILLEGAL_ADDRESS"
    assert error_of(context, "cuMemAlloc", 8) == "ILLEGAL_ADDRESS"


def test_sizes_and_places_off_the_granularity_are_refused() -> None:
    context = used(FakeGpu([small_card()]))
    owned = SharedMemory(context, 1)
    handle = context.driver.call("cuMemImportFromShareableHandle", owned.file, None)
    room = int(context.driver.call("cuMemAddressReserve", 4 * PAGE_BYTES, 0, 0, 0))

    assert error_of(context, "cuMemAddressReserve", PAGE_BYTES + 1, 0, 0, 0) == "INVALID_VALUE"
    for place, nbytes in (
        (4096, PAGE_BYTES),
        (0, PAGE_BYTES // 2),
        (4 * PAGE_BYTES, PAGE_BYTES),
        (0, 2 * PAGE_BYTES),
    ):
        assert error_of(context, "cuMemMap", room + place, nbytes, 0, handle, 0) == "INVALID_VALUE"
    assert error_of(context, "cuMemMap", owned.address, PAGE_BYTES, 0, handle, 0) == "INVALID_VALUE"


def test_memory_is_used_only_while_it_is_mapped_and_as_it_may_be() -> None:
    context = used(FakeGpu([small_card()]))
    owned = SharedMemory(context, 1)
    lent = BorrowedMemory(context, owned.file, owned.nbytes, writable=False)
    lent.place(1)

    assert error_of(context, "cuMemsetD32", lent.address, 0, 1) == "INVALID_VALUE"
    assert error_of(context, "cuMemsetD32", owned.address + 2, 0, 1) == "INVALID_VALUE"
    assert error_of(context, "cuMemsetD8", owned.address, 0, owned.nbytes + 1) == "INVALID_VALUE"
    place = lent.address
    lent.lift()
    assert error_of(context, "cuMemcpyDtoH", 0, place, 8) == "INVALID_VALUE"


def test_events_tell_nothing_before_they_were_recorded_and_waited_for() -> None:
    context = used(FakeGpu([small_card()]))
    stream = driver.CUstream(driver.CU_STREAM_LEGACY)
    begin, end = (context.driver.call("cuEventCreate", 0) for _ in range(2))

    assert error_of(context, "cuEventElapsedTime", begin, end) == "INVALID_HANDLE"
    for event in (begin, end):
        context.driver.call("cuEventRecord", event, stream)
    assert error_of(context, "cuEventElapsedTime", begin, end) == "NOT_READY"
    context.wait()
    assert context.driver.call("cuEventElapsedTime", begin, end) >= 0
