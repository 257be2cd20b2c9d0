"""What is said of an entry with other parameters than it is called with."""

import pytest

from mskernelbench.catalog import load_operator, operator_names
from mskernelbench.operator import Precision
from mskernelbench.signatures import parameters_of, signature_hint, surplus_parameter

SPMV = load_operator("spmv_csr")
FP32 = Precision.FP32


@pytest.mark.parametrize(
    ("parameters", "count"),
    [
        ("", 0),
        ("void", 0),
        ("float* y, int rows", 2),
        ("std::pair<int, int> p, /* a, b, */ int n,\n  void (*f)(int, int)", 3),
    ],
)
def test_parameters_are_counted_outside_of_brackets_and_comments(parameters: str, count: int) -> None:
    source = f'extern "C" void f(float* y);\nextern "C" void f({parameters})\n{{ g(1, 2); }}'
    parameters_found = parameters_of(source, "f")
    assert parameters_found is not None
    assert len(parameters_found) == count


def test_a_wrong_number_is_told_with_what_is_called() -> None:
    hint = signature_hint(
        'extern "C" void spmv_csr_origin(float* y, int n) {}', "spmv_csr_origin", SPMV, FP32
    )
    assert hint is not None
    assert hint.startswith("spmv_csr_origin has 2 parameters, but is called as extern")
    assert "void spmv_csr_origin(int rows, const float* values" in hint


@pytest.mark.parametrize(
    ("written", "at_fault"),
    [
        ("const float* x, float* y, int rows, int cols", "parameter 1 of softmax is 'const float* x'"),
        ("float* y, int rows, const float *x, int cols", "parameter 2 of softmax is 'int rows'"),
        ("float* y, const double* x, int rows, int cols", "parameter 2 of softmax is 'const double* x'"),
        ("float* y, const float* x, float rows, int cols", "parameter 3 of softmax is 'float rows'"),
    ],
)
def test_the_first_parameter_that_is_another_is_told(written: str, at_fault: str) -> None:
    hint = signature_hint(
        f'extern "C" void softmax({written}) {{}}', "softmax", load_operator("softmax"), FP32
    )
    assert hint is not None
    assert hint.startswith(f"{at_fault}, but it is called as extern")


def test_types_of_its_own_are_believed() -> None:
    source = (
        'extern "C" void softmax(real *__restrict__ y, real const *x, size_t rows, const unsigned cols) {}'
    )
    assert signature_hint(source, "softmax", load_operator("softmax"), FP32) is None


@pytest.mark.parametrize("name", operator_names())
@pytest.mark.parametrize("precision", list(Precision))
def test_nothing_is_said_of_our_baselines_with_or_without_a_stream(name: str, precision: Precision) -> None:
    operator = load_operator(name)
    symbol = operator.entry_symbol(precision)
    assert signature_hint(operator.baseline(precision), symbol, operator, precision) is None
    arguments = operator.c_signature(precision).removesuffix(")")
    for source in (f"{arguments}) {{}}", f"{arguments}, cudaStream_t stream) {{}}"):
        assert signature_hint(source, symbol, operator, precision) is None


def test_nothing_is_said_where_no_definition_is_found() -> None:
    assert signature_hint("DEFINE(spmv_csr)", "spmv_csr", SPMV, FP32) is None
    assert signature_hint("void spmv_csr(" + "(" * 30_000, "spmv_csr", SPMV, FP32) is None


@pytest.mark.parametrize(
    ("last", "refused"),
    [
        ("int depth", True),
        ("const float scale", True),
        ("cudaStream_t stream", False),
        ("CUstream_st *stream", False),
        ("stream_of_mine stream", False),
        ("void* stream", False),
    ],
)
def test_only_a_stream_may_follow_what_an_entry_is_called_with(last: str, refused: bool) -> None:
    source = f'extern "C" void softmax(float* y, const float* x, int rows, int cols, {last}) {{}}'
    surplus = surplus_parameter(source, "softmax", load_operator("softmax"))
    assert (surplus is not None) == refused
    assert surplus is None or f"'{last}', which nothing is given for" in surplus


def test_an_entry_with_no_parameter_too_many_has_no_surplus() -> None:
    source = 'extern "C" void softmax(float* y, const float* x, int rows, int cols) {}'
    assert surplus_parameter(source, "softmax", load_operator("softmax")) is None
