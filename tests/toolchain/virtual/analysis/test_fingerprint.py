"""Equal kernels have equal fingerprints, whatever module they lie in; what changes the code changes them."""

import pytest

from cudamaster.toolchain.devices.virtual.analysis.fingerprint import fingerprint
from cudamaster.toolchain.devices.virtual.codegen.warp_function import prepared
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module

HEAD = '.version 8.0\n.target sm_90a\n.address_size 64\n.file 1 "a.cu"\n'
KERNEL = """
.visible .entry scale(.param .u64 scale_param_0, .param .u32 scale_param_1) {
    .reg .pred %p<2>; .reg .f32 %f<3>; .reg .b32 %r<4>; .reg .b64 %rd<5>;
    .shared .align 4 .b8 tile[128];
    .loc 1 7 3
    ld.param.u64 %rd1, [scale_param_0];
    ld.param.u32 %r1, [scale_param_1];
    mov.u32 %r2, %tid.x;
    setp.ge.s32 %p1, %r2, %r1;
    @%p1 bra $L__BB0_2;
    mul.wide.s32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    mul.f32 %f2, %f1, 0f40000000;
    st.global.f32 [%rd3], %f2;
    st.shared.f32 [tile+4], %f2;
$L__BB0_2:
    ret;
}
"""


def found(text: str, name: str = "scale") -> str:
    module = parse_module(HEAD + text)
    return fingerprint(module, prepared(module, module.kernels[name]))


@pytest.mark.parametrize(
    ("old", "new"),
    [("scale", "other"), ("$L__BB0_2", "$L__BB17_2"), (".loc 1 7 3", ".loc 1 99 1"), ("tile", "cells")],
)
def test_names_and_lines_do_not_matter(old: str, new: str) -> None:
    assert found(KERNEL.replace(old, new), "other" if old == "scale" else "scale") == found(KERNEL)


def test_other_kernels_of_the_module_do_not_matter() -> None:
    before = ".visible .entry first() { .reg .b32 %r<2>; mov.u32 %r1, 5; ret; }\n"
    assert found(before + KERNEL) == found(KERNEL)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0f40000000", "0f40400000"),
        ("setp.ge", "setp.gt"),
        ("@%p1", "@!%p1"),
        ("tile[128]", "tile[256]"),
        ("[tile+4]", "[tile+8]"),
        ("u32 %r1, [scale_param_1]", "u32 %r1, [scale_param_0]"),
        ("st.shared.f32 [tile+4], %f2;\n$L__BB0_2:", "$L__BB0_2:\nst.shared.f32 [tile+4], %f2;"),
    ],
)
def test_what_changes_the_code_changes_the_fingerprint(old: str, new: str) -> None:
    assert old in KERNEL or "$L__BB0_2:" in old
    assert found(KERNEL.replace("    st.shared", "st.shared").replace(old, new)) != found(KERNEL)
