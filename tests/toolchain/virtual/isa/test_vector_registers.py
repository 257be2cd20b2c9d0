"""Vector registers of hand-written PTX: `.reg .v4 .f32 v`, whole and by element."""

import numpy as np
import pytest

from tests.toolchain.virtual.isa.conftest import Runner

KERNEL = """.version 9.0
.target sm_90a
.address_size 64
.visible .entry vectors(.param .u64 in, .param .u64 out)
{{
    .reg .b32 %r<3>; .reg .b64 %rd<4>; .reg .f32 a, b, c, d;
    .reg .v4 .b32 v, %w<2>;
    .reg .v2 .b32 pair;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.global.v4.b32 v, [%rd1];
    {code}
    st.global.v4.b32 [%rd2], v;
    ret;
}}
"""
FOUR = [3, 5, 7, 0x80000000]
CODES = {
    "an element by its letter": ("add.u32 v.x, v.y, v.w;", [0x80000005, 5, 7, 0x80000000]),
    "an element by its colour": ("add.u32 v.r, v.g, v.b; mov.b32 v.a, v.x;", [12, 5, 7, 12]),
    "a vector copied": ("mov.v4.b32 %w1, v; mov.b32 %w1.z, 1; mov.v4.b32 v, %w1;", [3, 5, 1, 0x80000000]),
    "elements exchanged at once": ("mov.v4.b32 v, {v.w, v.z, v.y, v.x};", FOUR[::-1]),
    "elements taken apart": ("mov.v4.b32 {_, %r1, %r2, _}, v; sub.u32 v.x, %r2, %r1;", [2, 5, 7, 0x80000000]),
    "two as a wide register": (
        "mov.v2.b32 pair, {v.x, v.y}; mov.b64 %rd3, pair; add.u64 %rd3, %rd3, 1; mov.b64 pair, %rd3;"
        "mov.b32 v.x, pair.y; mov.b32 v.y, pair.x;",
        [5, 4, 7, 0x80000000],
    ),
    "an inner scope's own": (
        "{ .reg .v4 .b32 v; ld.global.v4.b32 v, [%rd1]; mov.b32 %r1, v.y; mov.b32 v.y, 9; }"
        "mov.b32 v.x, %r1;",
        [5, 5, 7, 0x80000000],
    ),
    "an inner scope's of other names": (
        "{ .reg .v2 .b32 q; ld.global.v2.b32 q, [%rd1+8]; mov.b32 v.x, q.x; }",
        [7, 5, 7, 0x80000000],
    ),
    "an inner scalar of the same name": ("{ .reg .b32 v; mov.b32 v, 4; mov.b32 %r1, v; } mov.b32 v.x, %r1;",
                                         [4, 5, 7, 0x80000000]),
    "a sum in memory": (
        "{ .reg .v4 .f32 t; mov.v4.f32 t, {0f3F800000, 0f40000000, 0f40400000, 0f40800000};"
        "st.global.v4.f32 [%rd1], t; red.global.add.v4.f32 [%rd1], t; }"
        "ld.global.v4.b32 v, [%rd1];",
        [0x40000000, 0x40800000, 0x40C00000, 0x41000000],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CODES)
def test_vector_registers_are_their_elements(runner: Runner, name: str) -> None:
    code, expected = CODES[name]
    given, found = np.array(FOUR, np.uint32), np.zeros(4, np.uint32)
    assert runner.launch(KERNEL.format(code=code), "vectors", [given, found], 1) is None
    assert found.tolist() == expected
