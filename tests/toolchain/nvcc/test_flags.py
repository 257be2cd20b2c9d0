"""Flags a candidate may ask for."""

import pytest

from cudamaster.toolchain.nvcc.flags import ForbiddenFlag, requested_flags


@pytest.mark.parametrize("spelling", ["--maxrregcount=64", "-maxrregcount=64"])
def test_the_register_limit_may_be_asked_for(spelling: str) -> None:
    assert requested_flags(f"// title\n// nvcc: {spelling}\n") == ("--maxrregcount=64",)


def test_flags_that_let_more_cpp_compile_may_be_asked_for() -> None:
    asked = "// nvcc: --expt-extended-lambda -extended-lambda --expt-relaxed-constexpr\n"
    assert requested_flags(asked) == ("--extended-lambda", "--expt-relaxed-constexpr")


def test_no_request_no_flags() -> None:
    assert requested_flags("// uses nvcc: nothing\nint x;\n") == ()


def test_a_request_far_down_is_a_comment() -> None:
    assert requested_flags("\n" * 10 + "// nvcc: --use_fast_math\n") == ()


@pytest.mark.parametrize(
    "flag",
    ["--use_fast_math", "-use_fast_math", "--ftz=true", "--maxrregcount=8", "--maxrregcount=64;ls",
     "-I/etc", "extended-lambda", "-Xcompiler=-O0", "--maxrregcount", "-ccbin=/bin/sh", "--maxrregcount=256"],
)  # fmt: skip
def test_any_other_flag_is_refused_with_its_line(flag: str) -> None:
    with pytest.raises(ForbiddenFlag, match="is not allowed") as caught:
        requested_flags(f"// title\n// nvcc: {flag}\n")
    assert caught.value.line == 2
