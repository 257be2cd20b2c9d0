"""PTX that parses but cannot be run is refused with its opcode, never run to a wrong number."""

import pytest

from cudamaster.toolchain.devices.virtual.codegen.emitter import Mode
from cudamaster.toolchain.devices.virtual.codegen.warp_function import write_warp_function
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported

HEAD = """.version 9.0
.target sm_90a
.address_size 64
.func (.param .b32 r) helper(.param .b32 a) { ret; }
.visible .entry k()
{
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;
.param .b32 one; .param .b32 two;
"""
REFUSED = {
    "an opcode that does not exist": ("frobnicate.b32 %r1, %r2;", "frobnicate.b32"),
    "a modifier that does not exist": ("max.sideways.f32 %f1, %f2, %f3;", ""),
    "too few operands": ("fma.rn.f32 %f1, %f2;", "fma.rn.f32"),
    "a register that was not declared": ("add.u32 %nowhere, %r1, %r2;", "add.u32"),
    "a special register that does not exist": ("mov.u32 %r1, %phase_of_the_moon;", "phase_of_the_moon"),
    "a type that does not exist": ("add.u48 %rd1, %rd2, %rd3;", "add.u48"),
    "a symbol that does not exist": ("mov.u64 %rd1, nothing;", "nothing"),
    "a branch to nowhere": ("bra NOWHERE;", "NOWHERE"),
    "a table of targets that does not exist": ("brx.idx %r1, TABLE;", "TABLE"),
    "a call of an unknown function": ("call mystery, ();", "mystery"),
    "a call with other arguments": ("call (one), helper, (one, two);", "arguments"),
    "a texture": ("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];", "with a texture: read"),
    "a surface": ("suld.b.1d.b32.trap %r1, [%rd1, {%r2}];", "with a surface: use"),
    "memory of several GPUs": (
        "multimem.red.relaxed.sys.global.add.f32 [%rd1], %f1;",
        "multimem.red.relaxed.sys.global.add.f32 with a multicast address, which takes several GPUs",
    ),
    "a sparse product of a depth that is none": (
        "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32 {%r1,%r2,%r3,%r4}, {%r1,%r2},"
        " {%r5,%r6}, {%r1,%r2,%r3,%r4}, %r8, 0x0;",
        "mma.sp",
    ),
    "a tensor memory operation": ("tcgen05.wait::ld.sync.aligned;", "from sm_100 on"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_run_is_refused_by_name(what: str) -> None:
    code, named = REFUSED[what]
    module = parse_module(f"{HEAD}{code}\nret;\n}}\n")
    with pytest.raises(Unsupported) as caught:
        write_warp_function(module, module.kernels["k"], Mode(check=True, count=False))
    assert named in str(caught.value)


def test_the_refusal_names_the_line() -> None:
    text = HEAD + '.loc 1 42 1\nfrobnicate.b32 %r1;\nret;\n}\n.file 1 "/t/k.cu"\n'
    module = parse_module(text)
    with pytest.raises(Unsupported) as caught:
        write_warp_function(module, module.kernels["k"], Mode(check=True, count=False))
    assert caught.value.line == 42


def test_a_kernel_without_code_runs_to_its_end() -> None:
    module = parse_module(".version 9.0\n.target sm_90\n.visible .entry empty()\n{\n}\n")
    assert "ret" in [i.base for i in module.kernels["empty"].blocks[0]]
    assert write_warp_function(module, module.kernels["empty"], Mode(check=True, count=False)).sites == ()
