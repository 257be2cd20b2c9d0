"""Machine code by kind of instruction."""

from dataclasses import replace
from pathlib import Path

import pytest

from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.compile import compile_kernel
from cudamaster.toolchain.nvcc.finder import find_toolchain
from cudamaster.toolchain.nvcc.machine_code import count_kinds, find_disassembler, kind_of, machine_mixes

DISASSEMBLY = """
\t.section\t.text._Z3addPf,"ax",@progbits
_Z3addPf:
.text._Z3addPf:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 LDG.E.128 R4, desc[UR8][R2.64] ;
        /*0020*/                   FFMA.FTZ R5, R4, R4, RZ ;
        /*0030*/             @!UP0 UIADD3 UR4, UR4, 0x1, URZ ;
.L_x_0:
        /*0040*/                   BRA `(.L_x_0);
        /*0050*/                   NOP;
.text._Z5otherv:
        /*0000*/                   EXIT ;
"""


def test_each_instruction_of_each_kernel_is_counted_once_and_padding_is_not() -> None:
    mixes = count_kinds(DISASSEMBLY)
    assert mixes["_Z3addPf"] == dict.fromkeys(("constant", "global", "fp32", "integer", "control"), 0.2)
    assert mixes["_Z5otherv"] == {"control": 1.0}


@pytest.mark.parametrize(
    ("opcode", "kind"),
    [
        ("FFMA", "fp32"), ("DFMA", "fp64"), ("HFMA2", "half"), ("HMMA", "tensor"), ("HGMMA", "tensor"),
        ("IMMA", "tensor"), ("MUFU", "special"), ("I2F", "special"), ("F2I", "special"), ("F2FP", "special"),
        ("LDG", "global"), ("STG", "global"), ("LDGSTS", "global"), ("REDG", "global"), ("LDS", "shared"),
        ("LDSM", "shared"), ("ATOMS", "shared"), ("LDL", "local"), ("STL", "local"), ("SHFL", "exchange"),
        ("BAR", "control"), ("EXIT", "control"), ("ULDC", "constant"), ("IMAD", "integer"),
        ("LOP3", "integer"), ("ISETP", "integer"), ("FSETP", "integer"), ("FMNMX", "integer"),
        ("MOV", "integer"),
    ],
)  # fmt: skip
def test_kinds_of_opcodes(opcode: str, kind: str) -> None:
    assert kind_of(opcode) == kind


def test_a_build_s_machine_code_is_read_where_there_is_a_disassembler() -> None:
    try:
        toolchain = find_toolchain()
    except EnvironmentLacks:
        pytest.skip("nvcc is not installed")
    source = """__global__ void scale(float* x) { x[threadIdx.x] *= 2.0f; }
extern "C" void entry(float* x, cudaStream_t stream) { scale<<<1, 32, 0, stream>>>(x); }
"""
    build = compile_kernel(KernelSource(source, "entry"), "sm_90a", toolchain)
    mixes = machine_mixes(build, toolchain)
    if find_disassembler(toolchain) is None:
        assert mixes is None
        return
    assert mixes is not None
    (mix,) = mixes.values()
    assert {"global", "integer", "control"} <= mix.keys()
    assert sum(mix.values()) == pytest.approx(1)


def test_a_failed_build_has_none(tmp_path: Path) -> None:
    try:
        toolchain = find_toolchain()
    except EnvironmentLacks:
        pytest.skip("nvcc is not installed")
    build = compile_kernel(KernelSource("no C at all", "entry"), "sm_90a", toolchain)
    assert machine_mixes(build, toolchain) is None
    without = replace(toolchain, nvcc=tmp_path / "nvcc")
    assert machine_mixes(build, without) is None
