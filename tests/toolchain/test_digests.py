"""What of a compiled kernel counts, and what only says where it was compiled."""

import pytest

from cudamaster.toolchain.digests import ptx_digest

PTX = """.version 9.0
.target sm_90a
.visible .entry k(.param .u64 k_param_0)
{
    .loc 1 3 0
    ret;
}
    .file 1 "kernel.cu"
    .file 2 "/home/ada/.venv/nvidia/include/sm_30_intrinsics.hpp"
"""


@pytest.mark.parametrize(
    ("text", "elsewhere"),
    [
        ("/home/ada/.venv/nvidia/include/", "/usr/local/cuda/bin/..//include/"),
        ("/home/ada/.venv/nvidia/include/", ""),
    ],
)
def test_where_the_toolkit_is_installed_does_not_count(text: str, elsewhere: str) -> None:
    assert ptx_digest(PTX.replace(text, elsewhere)) == ptx_digest(PTX)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("ret;", "trap;"),
        (".loc 1 3", ".loc 1 4"),
        ("sm_30_intrinsics.hpp", "sm_35_intrinsics.hpp"),
        ("9.0", "9.1"),
    ],
)
def test_everything_else_counts(text: str, other: str) -> None:
    assert ptx_digest(PTX.replace(text, other)) != ptx_digest(PTX)
