"""The CUDA runtime subset, as real nvcc-built host code uses it; kernels are recorded, not run."""

import ctypes
import struct
from pathlib import Path

import pytest

from cudamaster.toolchain.devices.virtual.host import CudaRuntime, unresolved
from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from tests.toolchain.virtual.host.recording import Build, Loaded

INVALID_VALUE, OUT_OF_MEMORY, BAD_CONFIGURATION, BAD_PITCH, BAD_DIRECTION = 1, 2, 9, 12, 21
BAD_FUNCTION, BAD_HANDLE, ILLEGAL_ADDRESS, OUT_OF_RESOURCES, TOO_LARGE = 98, 400, 700, 701, 720
CAPTURING = 900
NOT_UPDATED, TOPOLOGY = 910, 2


def test_parameters_are_packed_as_the_ptx_lays_them_out(loaded: Loaded) -> None:
    assert loaded.call("packs_parameters")[0] == 0
    (request,) = loaded.machine.launches
    assert request.parameters == struct.pack("<QfB3xd", 0x1234, 1.5, ord("c"), 2.25)
    assert (request.grid, request.block, request.dynamic_shared_bytes) == ((3, 2, 1), (64, 1, 2), 16)
    assert request.kernel == "_Z5scalePffcd"


def test_symbols_are_copied_both_ways_and_bounded(loaded: Loaded) -> None:
    code, out = loaded.call("copies_symbols")
    assert out[:8] == [3, 4, 7, 7, 16, INVALID_VALUE, 5, 9]
    assert code == INVALID_VALUE


def test_planes_are_copied_row_by_row(loaded: Loaded) -> None:
    code, out = loaded.call("copies_planes")
    assert (code, out[:8]) == (0, [1, 2, 4, 5, 7, 8, 10, 11])
    assert out[8:10] == [BAD_PITCH, 0]


def test_copies_outside_an_allocation_are_refused(loaded: Loaded) -> None:
    _, out = loaded.call("checks_copies")
    assert out[:6] == [INVALID_VALUE, 0, BAD_DIRECTION, INVALID_VALUE, INVALID_VALUE, INVALID_VALUE]
    assert out[6:10] == [0, INVALID_VALUE, INVALID_VALUE, 0]


def test_fresh_memory_is_poisoned_bounded_and_known(loaded: Loaded) -> None:
    code, out = loaded.call("allocates")
    assert out[:4] == [0xFF, 0xFF, OUT_OF_MEMORY, 1]
    assert out[4:8] == [2, 3, 1, 0]
    assert out[8:11] == [1 << 20, 0, 1]
    assert code == OUT_OF_MEMORY


def test_bad_launches_fail_with_the_codes_of_hardware(loaded: Loaded) -> None:
    _, out = loaded.call("bad_launches")
    assert out[:4] == [BAD_CONFIGURATION] * 4
    assert out[4:8] == [INVALID_VALUE, OUT_OF_RESOURCES, BAD_CONFIGURATION, BAD_HANDLE]
    assert out[8:10] == [TOO_LARGE, BAD_FUNCTION]
    assert loaded.machine.launches == []
    refused = loaded.runtime.refused_launch()
    assert refused is not None
    assert refused.startswith("launch of _Z5scalePffcd<<<(0, 1, 1), (32, 1, 1), 0>>> failed: cudaError")


REFUSALS = {
    "launches_nothing": "the grid has no blocks",
    "launches_many_threads": "a block has at most 1024 threads, and 64 in z",
    "launches_tall_grids": "a grid has at most (2147483647, 65535, 65535) blocks",
    "shares_too_much": "a block of it can have 232448 bytes of dynamic shared memory on this GPU",
    "shares_unasked": "cudaFuncSetAttribute has to allow more than 49152 bytes of dynamic shared memory",
    "breaks_bounds": "its __launch_bounds__ allow 128 threads",
    "splits_clusters": "the grid is not made of whole clusters of (2, 1, 1)",
}


@pytest.mark.parametrize("entry", REFUSALS)
def test_a_refused_launch_says_what_is_wrong_with_it(loaded: Loaded, entry: str) -> None:
    loaded.call(entry)
    assert str(loaded.runtime.refused_launch()).endswith(f": {REFUSALS[entry]}")


def test_too_many_registers_for_the_block_are_refused(loaded: Loaded) -> None:
    loaded.machine.registers = 255
    _, out = loaded.call("launches_wide")
    assert out[:2] == [0, OUT_OF_RESOURCES]


def test_large_shared_memory_needs_its_opt_in(loaded: Loaded) -> None:
    _, out = loaded.call("opts_in_to_shared")
    assert out[:4] == [0, 0, INVALID_VALUE, 227 * 1024]
    assert loaded.machine.launches[0].dynamic_shared_bytes == 227 * 1024


def test_cooperative_launches_say_so(loaded: Loaded) -> None:
    assert loaded.call("launches_cooperatively")[0] == 0
    assert loaded.machine.launches[0].cooperative


def test_launch_attributes_give_the_cluster(loaded: Loaded) -> None:
    assert loaded.call("launches_with_attributes")[0] == 0
    assert loaded.machine.launches[0].cluster == (2, 1, 1)


def test_a_graph_replays_what_its_streams_captured(loaded: Loaded) -> None:
    first_word, out = loaded.call("replays_a_graph")
    assert [r.parameters[8:12] for r in loaded.machine.launches] == [struct.pack("<f", 2.0)] * 3
    assert first_word == 0x01010101
    assert out[:6] == [300, 1, CAPTURING, CAPTURING, 0, 0]
    assert loaded.machine.memory_operations.count(("memset", 4)) == 3


def test_a_graph_of_nodes_runs_in_the_order_of_its_edges(loaded: Loaded) -> None:
    _, out = loaded.call("builds_a_graph")
    assert out[:5] == [0, 5, 1, 0, -1]
    assert out[5:7] == [0x01010101, 0xFF020202 - (1 << 32)]
    factors = [struct.unpack("<f", r.parameters[8:12])[0] for r in loaded.machine.launches]
    assert factors == [2.0, 7.0, 5.0], "what is instantiated keeps its own until it is told or updated"
    assert [r.grid for r in loaded.machine.launches] == [(2, 1, 1)] * 3
    assert loaded.machine.memory_operations[1:] == [("memset", 8), ("memcpy", 8), ("memset", 3)] * 3


def test_a_graph_of_nodes_tells_of_them_and_refuses_circles(loaded: Loaded) -> None:
    _, out = loaded.call("builds_a_graph")
    assert out[7:10] == [0, 2005, 1]
    assert out[10:14] == [NOT_UPDATED, TOPOLOGY, INVALID_VALUE, INVALID_VALUE]


def test_a_fill_of_a_graph_whose_bytes_differ_is_refused(loaded: Loaded) -> None:
    with pytest.raises(Unsupported, match="memset node"):
        loaded.call("builds_a_graph_of_mixed_bytes")


def test_elapsed_time_is_never_garbage(loaded: Loaded) -> None:
    code, out = loaded.call("reads_the_clock")
    assert (code, out[:3]) == (0, [BAD_HANDLE, 0, 5])


def test_the_device_is_the_one_described(loaded: Loaded) -> None:
    _, out = loaded.call("asks_about_the_device")
    assert out[:6] == [90, 132, 52428800, 232448, 2048, 65536]
    assert out[6:13] == [132, 232448, 101, 0, 1, 1, 32]


def test_occupancy_follows_warps_blocks_shared_memory_and_bounds(loaded: Loaded) -> None:
    _, out = loaded.call("asks_about_occupancy")
    assert out[:6] == [8, 32, 2, 132 * 2, 1024, 0]


def test_a_fault_is_sticky(loaded: Loaded) -> None:
    loaded.machine.answer = ILLEGAL_ADDRESS
    _, out = loaded.call("launches_twice")
    assert out[:4] == [ILLEGAL_ADDRESS] * 4
    assert len(loaded.machine.launches) == 1
    assert str(loaded.runtime.last_error()) == (
        "cudaErrorIllegalAddress (700): an illegal memory access was encountered"
    )


def test_what_a_callback_raises_comes_out_of_the_call(
    loaded: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    def launch(_: object) -> int:
        raise Unsupported("nanosleep.u32", 12)

    monkeypatch.setattr(loaded.machine, "launch", launch)
    with pytest.raises(Unsupported, match="nanosleep"):
        loaded.call("launches_twice")


def test_an_unsupported_call_is_named_when_it_is_made(loaded: Loaded) -> None:
    with pytest.raises(Unsupported, match="runtime call cudaMallocArray"):
        loaded.call("makes_a_texture")


def test_a_call_that_nobody_provides_is_named_before_loading(built: Build) -> None:
    library = built(Path(__file__).with_name("missing.cu"))
    assert unresolved(library, load_native()) == ("cublasSgemmFromNowhere",)


def test_writing_an_input_by_copy_is_refused_and_told(loaded: Loaded) -> None:
    native = loaded.runtime.native
    data = (ctypes.c_char * 64)()
    native.vgrt_begin_call()
    assert native.vg_register(data, ctypes.c_size_t(64), 0, b"weights") == 0
    code = native.cudaMemset(data, 0, ctypes.c_size_t(64))
    native.vg_unregister(data)
    assert code == INVALID_VALUE
    assert loaded.runtime.violation() == "a copy or fill by the host code writes the input weights"


def test_a_runtime_can_be_taken_over(loaded: Loaded) -> None:
    assert CudaRuntime(loaded.runtime.native, loaded.machine).last_error() is None
