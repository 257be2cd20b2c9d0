"""What nvcc's programs print, word for word from nvcc 13.0 and g++ 12."""

import pytest

from cudamaster.toolchain.build import Diagnostic
from cudamaster.toolchain.nvcc.diagnostics import parse_diagnostics, source_line

PTX = """\
.visible .entry k(
)
{
	.reg .b32 	%r<2>;
	.loc	2 7 3
	.loc	1 12 5
	// begin inline asm
	bogus.u32 %r1;
	// end inline asm
	ret;
}
	.file	1 "kernel.cu"
	.file	2 "/usr/include/cuda_bf16.hpp"
"""


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (
            'kernel.cu(12): error: identifier "x" is undefined',
            Diagnostic("error", 'identifier "x" is undefined', 12),
        ),
        (
            'kernel.cu(3): warning #177-D: variable "y" was declared but never referenced',
            Diagnostic("warning", 'variable "y" was declared but never referenced', 3),
        ),
        (
            "kernel.cu(3): error: __host__ or __device__ annotation on lambda requires --extended-lambda "
            "nvcc flag",
            Diagnostic(
                "error",
                "__host__ or __device__ annotation on lambda requires --extended-lambda nvcc flag: "
                "write '// nvcc: --extended-lambda' in one of the first 10 lines",
                3,
            ),
        ),
        (
            "kernel.cu:7:10: fatal error: no_such.h: No such file or directory",
            Diagnostic("error", "no_such.h: No such file or directory", 7),
        ),
        (
            "ptxas kernel.ptx, line 8; error   : Unknown modifier",
            Diagnostic("error", "Unknown modifier", 12),
        ),
        (
            "ptxas error   : Entry function 'k' uses too much shared data (0x20000 bytes, 0xc000 max)",
            Diagnostic(
                "error", "Entry function 'k' uses too much shared data (0x20000 bytes, 0xc000 max)", None
            ),
        ),
        (
            "nvcc fatal   : Unsupported gpu architecture 'compute_10'",
            Diagnostic("error", "Unsupported gpu architecture 'compute_10'", None),
        ),
        (
            "g++: internal compiler error: Killed signal terminated program cc1plus",
            Diagnostic("error", "Killed signal terminated program cc1plus", None),
        ),
        (
            "x86_64-linux-gnu-g++-12: fatal error: no input files",
            Diagnostic("error", "no input files", None),
        ),
        (
            "kernel.cu:5:1: internal compiler error: in expand_expr, at expr.cc:9",
            Diagnostic("error", "in expand_expr, at expr.cc:9", 5),
        ),
        (
            "/usr/bin/ld: kernel.o: relocation R_X86_64_32 cannot be used",
            Diagnostic("error", "kernel.o: relocation R_X86_64_32 cannot be used", None),
        ),
    ],
)
def test_a_message_is_placed_in_the_source(printed: str, expected: Diagnostic) -> None:
    assert parse_diagnostics(printed, "kernel.cu", PTX) == (expected,)


def test_a_message_about_a_header_is_placed_where_the_source_used_it() -> None:
    log = (
        '/usr/include/cuda_bf16.hpp(99): error: no instance of "f"\n'
        '          detected during instantiation of "void g<T>()" at line 41 of kernel.cu\n'
    )
    assert parse_diagnostics(log, "kernel.cu") == (
        Diagnostic("error", 'cuda_bf16.hpp:99: no instance of "f"', 41),
    )


def test_reports_and_summaries_are_no_messages() -> None:
    log = 'ptxas info    : Used 12 registers\n1 error detected in the compilation of "kernel.cu".\n'
    assert parse_diagnostics(log, "kernel.cu") == ()


def test_at_most_fifty_messages_are_kept() -> None:
    log = "\n".join(f"kernel.cu({n}): error: e" for n in range(1, 200))
    assert len(parse_diagnostics(log, "kernel.cu")) == 50


def test_a_ptx_line_outside_a_kernel_has_no_source_line() -> None:
    assert source_line(PTX, 8, "kernel.cu") == 12
    assert source_line(PTX, 1, "kernel.cu") is None
    assert source_line(PTX, 12, "kernel.cu") is None
