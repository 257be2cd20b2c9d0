"""ptxas's report, word for word from ptxas 13.0."""

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.nvcc.resources import parse_resources

REPORT = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1fPf' for 'sm_90a'
ptxas info    : Function properties for _Z1fPf
    40 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Function properties for helper
    99 bytes stack frame, 9 bytes spill stores, 9 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 4096 bytes smem, 400 bytes cmem[0]
ptxas info    : Compile time = 3.282 ms
ptxas info    : Compiling entry function '_Z1gPf' for 'sm_90a'
ptxas info    : Function properties for _Z1gPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
"""


def test_each_kernel_has_its_own_figures() -> None:
    assert parse_resources(REPORT) == (
        KernelResources(
            "_Z1fPf",
            registers=32,
            shared_bytes=4096,
            spill_store_bytes=8,
            spill_load_bytes=12,
            stack_bytes=40,
        ),
        KernelResources(
            "_Z1gPf", registers=12, shared_bytes=0, spill_store_bytes=0, spill_load_bytes=0, stack_bytes=0
        ),
    )


def test_another_log_has_none() -> None:
    assert parse_resources('kernel.cu(1): error: expected a ";"') == ()
