"""Sources that would make the compiler read this machine's files."""

import pytest

from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.source_gate import MAX_SOURCE_BYTES, source_gate


@pytest.mark.parametrize(
    "line",
    [
        '#include "/etc/passwd"',
        "#include </etc/passwd>",
        '  #  include "../secret.h"',
        '#include "a/../../secret.h"',
        '#in\\\nclude "/etc/passwd"',
        '%:include "/etc/passwd"',
        "#include HEADER",
        "#embed </etc/passwd>",
        'asm(".incbin \\"/etc/passwd\\"");',
        'asm(".inc" "bin \\"/etc/passwd\\"");',
        'asm(".include \\"/etc/passwd\\"");',
        '#if __has_include("/etc/shadow")',
        '#/**/include "/etc/passwd"',
        '/**/ #include "/etc/passwd"',
        '#include /**/ "/etc/passwd"',
        '\f#include "/etc/passwd"',
        '#if __has_include(/**/"/etc/passwd")',
        "#if __has_include(PLACE)",
        '#pragma GCC dependency "/etc/passwd"',
        'asm(".in" "cbin \\"/etc/passwd\\"");',
        'asm("." TEXT(incbin) " \\"/etc/passwd\\"");',
        'asm(R"(.include "/etc/passwd")");',
        '#inc??/\nlude "/etc/passwd"',
        '#inc\\\r\nlude "/etc/passwd"',
        '#line 1 "/etc/passwd"',
        '# 3 "/etc/passwd" 1',
        'asm(".macro get a b\\n.\\\\a\\\\b \\"/etc/passwd\\"\\n.endm\\nget inc bin");',
        'asm(".\\x69ncbin \\"/etc/passwd\\"");',
        'asm(".\\151ncbin \\"/etc/passwd\\"");',
    ],
)
def test_reading_files_is_refused(line: str) -> None:
    diagnostic = source_gate(KernelSource(f"int a;\n{line}\n", "run"))
    assert diagnostic is not None
    assert diagnostic.severity == "error"
    assert diagnostic.line in (2, None)


@pytest.mark.parametrize(
    "line",
    [
        "#include <cuda_bf16.h>",
        "#include <cub/block/block_reduce.cuh>",
        "# include <cooperative_groups.h>",
        "// includes ../ of nothing",
        "float x = a.include;",
        "#if __has_include(<cuda/std/bit>)",
        '#include <cuda_bf16.h> // and /* "a" "b"',
        'const char* s = "/*", *t = "*/";',
        'asm volatile("mov.u32 %0, %%laneid;\\n\\tadd.u32 %0, %0, 1;" : "=r"(lane));',
        'printf("\\x41\\101 %d\\n", 3);',
        "#line 20",
        "float x = a.macro, y = b.irp;",
    ],
)
def test_headers_of_the_toolkit_pass(line: str) -> None:
    assert source_gate(KernelSource(line + "\n", "run")) is None


def test_a_huge_source_is_refused() -> None:
    diagnostic = source_gate(KernelSource("/" * (MAX_SOURCE_BYTES + 1), "run"))
    assert diagnostic is not None
    assert "larger" in diagnostic.message
