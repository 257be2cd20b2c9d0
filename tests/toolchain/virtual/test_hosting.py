"""The worker's side of its guest: what a guest may ask for, and what only a forger would."""

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from cudamaster.toolchain.devices.virtual.addresses import BOUNCE_BYTES, AddressSpace
from cudamaster.toolchain.devices.virtual.engine import Engine
from cudamaster.toolchain.devices.virtual.host import CudaRuntime
from cudamaster.toolchain.devices.virtual.hosting import GuestHost
from cudamaster.toolchain.devices.virtual.machine import EngineMachine
from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from cudamaster.toolchain.worker.guest import Guest, GuestForged

PTX = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry nothing(.param .u32 n) { ret; }
"""
NOTHING = {"refused_launch": None, "violation": None, "refused_bytes": 0, "error": None}
LAUNCH = {
    "ask": "launch", "kernel": "nothing", "grid": [1, 1, 1], "block": [32, 1, 1], "cluster": [1, 1, 1],
    "cooperative": 0, "overlaps": 0, "shared": 0, "parameters": "00000000",
}  # fmt: skip
SPEC = load_gpu("h200").device
ADDRESSES = AddressSpace()


class SayingGuest:
    """Says what it was told to say, whatever it is asked."""

    def __init__(self, messages: Sequence[Mapping[str, Any]]) -> None:
        self._messages = iter(messages)
        self.heard: list[Any] = []

    def send(self, message: Mapping[str, Any]) -> None:
        self.heard.append(message.get("answer"))

    def receive(self) -> dict[str, Any]:
        return dict(next(self._messages))


def called(*messages: Mapping[str, Any]) -> tuple[EngineMachine, list[Any]]:
    """What a call comes to in which the guest says `messages` before it returns."""
    native = load_native()
    machine = EngineMachine(Engine(native, threads=1), native)
    runtime = CudaRuntime(native, machine)  # C has its callbacks, and does not keep them
    runtime.set_device(SPEC, 1 << 20)
    guest = SayingGuest([{"loaded": True}, *messages, {"returned": NOTHING}])
    host = GuestHost(cast(Guest, guest), ADDRESSES, PTX, SPEC, 1 << 20).connect(machine)
    host.load(Path("none.so"))
    machine.begin(None)
    host.call("entry", [], [])
    return machine, guest.heard[2:]


def test_a_launch_is_run_and_counted() -> None:
    machine, heard = called(LAUNCH, LAUNCH)
    assert heard == [0, 0]
    assert [launch.block for launch in machine.launches] == [(32, 1, 1)] * 2


@pytest.mark.parametrize(
    "changed",
    [
        {"kernel": "another"},
        {"grid": [0, 1, 1]},
        {"grid": [1, 65536, 1]},
        {"grid": [1 << 31, 1, 1]},
        {"block": [1025, 1, 1]},
        {"block": [1, 1, 65]},
        {"block": [1, -1, 1]},
        {"block": [32, 1]},
        {"shared": SPEC.shared_bytes_per_block + 1},
        {"shared": -1},
        {"parameters": ""},
        {"parameters": "no"},
        {"parameters": "00" * 5000},
        {"cluster": None},
    ],
)
def test_a_launch_that_no_runtime_lets_through_is_a_forger_s(changed: Mapping[str, Any]) -> None:
    with pytest.raises(GuestForged):
        called({**LAUNCH, **changed})


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"answer": {"kernels": []}},
        {"ask": "nothing"},
        {"ask": "raise_failure"},
        {"ask": "operation", "name": "memcpy"},
        {"ask": "carry", "device": 1, "nbytes": BOUNCE_BYTES + 1, "to_device": True},
        {"ask": "allocate", "nbytes": -1, "kind": 2},
        {"ask": "copy", "work": ["x"]},
        {"ask": "facts"},
        {"returned": {"error": 3}},
    ],
)
def test_what_our_guest_would_not_say_is_a_forger_s(message: Mapping[str, Any]) -> None:
    with pytest.raises(GuestForged):
        called(message)


def test_memory_is_copied_and_filled_within_one_allocation_only() -> None:
    native = load_native()
    native.vg_alloc.restype = ctypes.c_void_p
    base = native.vg_alloc(ctypes.c_size_t(64), 1)
    row = {"ask": "copy", "work": [base, base + 32, 0, 0, 0, 0, 32, 1, 1]}
    wild = {"ask": "copy", "work": [base, base + 33, 0, 0, 0, 0, 32, 1, 1]}
    wrapped = {"ask": "copy", "work": [base, base, 1 << 63, 1 << 63, 0, 0, 1, 3, 1]}
    fill = {"ask": "fill", "work": [base, 0, 0, 64, 1, 1, 7]}
    beyond = {"ask": "fill", "work": [base, 0, 0, 65, 1, 1, 7]}
    carry = {"ask": "carry", "device": base + 60, "nbytes": 5, "to_device": True}
    machine, heard = called(row, wild, wrapped, fill, beyond, carry)
    assert [code == 0 for code in heard] == [True, False, False, True, False, False]
    assert machine.memory_operations == [("memcpy", 64), ("memset", 64)]
    assert ctypes.string_at(base, 64) == b"\7" * 64


def test_memory_is_paid_for_whether_or_not_the_guest_tells() -> None:
    asked = {"ask": "allocate", "nbytes": 512, "kind": 2}
    told = {"ask": "operation", "name": "cudaMalloc"}
    machine, _ = called(asked, told, asked)
    assert machine.memory_operations == [("cudaMalloc", 0), ("cudaMallocAsync", 0)]


def test_more_memory_than_the_limit_is_not_there() -> None:
    _, heard = called({"ask": "allocate", "nbytes": 2 << 20, "kind": 2})
    assert heard == [None]


def test_what_the_guest_cannot_do_is_told_as_it_is() -> None:
    with pytest.raises(Unsupported, match="runtime call cudaTexture"):
        called({"unsupported": "the virtual GPU does not support runtime call cudaTexture"})
    with pytest.raises(OSError, match="no such file"):
        called({"unloadable": "no such file"})
