"""Calls of the CUDA runtime answer what its documentation says of them."""

import pytest

from tests.toolchain.virtual.host.conftest import before_a_machine
from tests.toolchain.virtual.host.recording import Build

OUT_OF_MEMORY, BAD_FUNCTION, BAD_DEVICE, BAD_HANDLE = 2, 98, 101, 400
UNREGISTERED, HOST, MANAGED = 0, 1, 3
"""Of `cudaMemoryType`."""
KIB = 1024
SAID = {
    "copies_volumes": [0, 1, 12, 3, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0],
    "allocates_on_the_host": [0, 0, 0, 1, 0, 1, HOST, 0, MANAGED, 0, UNREGISTERED, 0, 0, 5, 0],
    "uses_pools": [0, 0, 0, 1 << 20, 0, 0, 1, 0, 0, 0, 0, 0],
    "counts_what_a_pool_lends": [
        0, 1, 1, 1, 0, 0, 5 * KIB, 5 * KIB, 4 * KIB, 5 * KIB, 0, 4 * KIB, 1, 1, 0, 0,
    ],
    "orders_streams": [0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, BAD_HANDLE, 0, 0],
    "asks_about_a_function": [
        0, 256, 256, 48 * KIB - 256, 90, 90, 0, 100 * KIB, 0, 0, 0, 0, 256, 0, 1, BAD_FUNCTION,
    ],
    "names_errors": [
        0, 0, 0, 0, 0, OUT_OF_MEMORY, OUT_OF_MEMORY, OUT_OF_MEMORY, 0, 0, 0, 0, 1, BAD_DEVICE, BAD_DEVICE, 0,
    ],
}  # fmt: skip
"""What documented.cu reports, by its entries."""


@pytest.mark.parametrize("entry", SAID)
def test_what_the_documentation_says(built: Build, entry: str) -> None:
    code, out = before_a_machine(built, "documented.cu").call(entry)
    assert code == 0
    assert out[: len(SAID[entry])] == SAID[entry]
