"""Memory that two processes share: rights, places, and giving everything back in order."""

import ctypes

import numpy as np
import pytest

from cudamaster.toolchain.devices.cuda.context import Context
from cudamaster.toolchain.devices.cuda.driver import CudaDriver
from cudamaster.toolchain.devices.cuda.fingerprint import Fingerprint
from cudamaster.toolchain.devices.cuda.segment import DeviceSegment, repeated_word
from cudamaster.toolchain.devices.cuda.sharing import PLACES, BorrowedMemory, SharedMemory
from cudamaster.toolchain.errors import DriverFailed
from tests.doubles.cuda_device import one_card
from tests.doubles.cuda_gpu import PAGE_BYTES, FakeGpu

ARRAYS = {
    "x": np.arange(1000, dtype=np.float32),
    "poisoned": np.full(77, 0x7FD5A5C3, np.uint32).view(np.float32),
    "odd": np.arange(333, dtype=np.uint8),
    "empty": np.zeros(0, np.float32),
}


@pytest.fixture
def gpu() -> FakeGpu:
    return one_card()


@pytest.fixture
def context(gpu: FakeGpu) -> Context:
    context = Context(CudaDriver(gpu), 0)
    context.use()
    return context


def segment(context: Context) -> DeviceSegment:
    segment = DeviceSegment(context, Fingerprint(context, b"code"), ARRAYS)
    segment.reset()
    return segment


def poke(address: int, value: int) -> None:
    ctypes.c_uint8.from_address(address).value = value


def test_what_one_writes_the_other_reads_at_addresses_that_move(context: Context, gpu: FakeGpu) -> None:
    owned = SharedMemory(context, 100)
    assert owned.nbytes == PAGE_BYTES
    borrowed = BorrowedMemory(context, owned.file, owned.nbytes, writable=False)
    seen = set()
    for number in range(2 * PLACES):
        borrowed.place(number)
        poke(owned.address, number)
        assert ctypes.c_uint8.from_address(borrowed.address).value == number
        seen.add(borrowed.address)
    assert len(seen) == PLACES
    borrowed.close()
    owned.close()
    context.close()
    assert not gpu.kept


def test_a_driver_without_read_only_access_is_given_the_other(context: Context, gpu: FakeGpu) -> None:
    owned = SharedMemory(context, 100)
    refused = []
    real = gpu.cuMemSetAccess

    def refusing(ptr: int, size: int, desc: list[object], count: int) -> tuple[object]:
        if desc[0].flags.name.endswith("PROT_READ"):  # type: ignore[attr-defined]
            refused.append(ptr)
            return (gpu.CUresult.CUDA_ERROR_NOT_SUPPORTED,)
        return real(ptr, size, desc, count)

    gpu.cuMemSetAccess = refusing  # type: ignore[method-assign]
    borrowed = BorrowedMemory(context, owned.file, owned.nbytes, writable=False)
    borrowed.place(0)
    poke(borrowed.address, 1)
    assert len(refused) == 1


@pytest.mark.parametrize(
    "name", ["cuMemImportFromShareableHandle", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess"]
)
def test_borrowing_that_fails_keeps_nothing(context: Context, gpu: FakeGpu, name: str) -> None:
    owned = SharedMemory(context, 100)
    before = gpu.kept
    gpu.fails[name] = gpu.CUresult.CUDA_ERROR_UNKNOWN

    def borrow() -> None:
        borrowed = BorrowedMemory(context, owned.file, owned.nbytes, writable=True)
        try:
            borrowed.place(1)
        finally:
            borrowed.close()

    with pytest.raises(DriverFailed, match=name):
        borrow()
    assert gpu.kept == before


def test_memory_is_unmapped_before_its_addresses_and_itself_are_given_back(
    context: Context, gpu: FakeGpu
) -> None:
    owned = SharedMemory(context, 100)
    del gpu.calls[:]
    owned.close()
    assert gpu.calls == ["cuMemUnmap", "cuMemAddressFree", "cuMemRelease"]


def test_tensors_are_read_as_they_were_put(context: Context) -> None:
    held = segment(context)
    for name, array in ARRAYS.items():
        read = held.read(name)
        assert (read.dtype, read.shape, read.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert held.overwritten_guards() == ()


def test_a_tensor_of_one_word_is_filled_by_the_gpu(context: Context, gpu: FakeGpu) -> None:
    held = segment(context)
    del gpu.calls[:]
    held.reset()
    assert gpu.calls.count("cuMemsetD32") == 1
    assert gpu.calls.count("cuMemcpyHtoD") == 2 + 5, "two tensors and five bands"


@pytest.mark.parametrize("name", ["x", "poisoned", "odd"])
@pytest.mark.parametrize("behind", [False, True])
def test_a_write_beside_a_tensor_is_blamed_on_it_once(context: Context, name: str, behind: bool) -> None:
    held = segment(context)
    placement = next(p for p in held.placements if p.name == name)
    poke(held.memory.address + (placement.end if behind else placement.offset - 1), 0x5A)
    assert held.overwritten_guards() == (name,)
    assert held.overwritten_guards() == ()


def test_a_sealed_segment_tells_what_was_changed_and_is_whole_again(context: Context) -> None:
    held = segment(context)
    held.seal()
    assert held.changed() == ()
    places = {p.name: p for p in held.placements}
    poke(held.memory.address + places["odd"].offset + 5, 99)
    poke(held.memory.address + places["x"].end + 40, 0)
    assert held.changed() == ("odd", "x")
    assert held.changed() == ()
    assert held.read("odd").tobytes() == ARRAYS["odd"].tobytes()


@pytest.mark.parametrize(
    ("array", "word"),
    [
        (np.zeros(8, np.float32), np.uint32(0)),
        (np.full(3, 0x7FD5, np.uint16), np.uint16(0x7FD5)),
        (np.full(4, 0x7FD5, np.uint16), np.uint32(0x7FD57FD5)),
        (np.arange(4, dtype=np.float32), None),
        (np.ones(3, np.uint8), None),
    ],
)
def test_a_repeated_word_is_known(array: np.ndarray, word: object) -> None:
    found = repeated_word(array)
    assert (found, type(found)) == (word, type(word))
