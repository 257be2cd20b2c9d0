"""Which kernels' blocks may take work from each other."""

import pytest

from cudamaster.toolchain.devices.virtual.analysis.sharing import blocks_with_atomics, takes_from_a_queue
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
DECLARED = ".reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [a];\n"
TICKET = "atom.global.add.u32 %r1, [%rd1], 1;\n"


def kernel(body: str) -> Kernel:
    return parse_module(f"{HEAD}{DECLARED}{body}ret;\n}}\n").kernels["k"]


def test_an_atomic_whose_result_is_used_tells_of_other_blocks() -> None:
    assert blocks_with_atomics(kernel(TICKET)) == [0]
    assert blocks_with_atomics(kernel("atom.add.u32 %r1, [%rd1], 1;\n")) == [0]


@pytest.mark.parametrize("body", ["red.global.add.u32 [%rd1], 1;\n", "atom.shared.add.u32 %r1, [%rd1], 1;\n"])
def test_sums_that_nobody_reads_and_shared_memory_do_not(body: str) -> None:
    assert blocks_with_atomics(kernel(body)) == []


def test_a_queue_is_asked_in_a_loop() -> None:
    loop = f"$M:\n{TICKET}setp.lt.u32 %p1, %r1, 9;\n@%p1 bra $M;\n"
    assert takes_from_a_queue(kernel(loop))
    assert not takes_from_a_queue(kernel(TICKET))


def test_a_ticket_before_a_loop_is_no_queue() -> None:
    body = f"{TICKET}$M:\nsub.u32 %r1, %r1, 1;\nsetp.gt.u32 %p1, %r1, 9;\n@%p1 bra $M;\n"
    assert not takes_from_a_queue(kernel(body))
