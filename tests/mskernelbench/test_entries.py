"""Which entry a file defines, and what is said when it is none or two."""

import pytest

from mskernelbench.catalog import load_operator
from mskernelbench.entries import Entry, EntryProblem, find_entry
from mskernelbench.operator import Precision

OPERATOR = load_operator("matrix_mul")
ARGUMENTS = "const float* A, const float* B, float* C, int M, int N, int K"


def found(
    source: str, precision: Precision = Precision.FP32, chosen: str | None = None
) -> Entry | EntryProblem:
    return find_entry(source, OPERATOR, precision, chosen)


def define(name: str) -> str:
    return f'extern "C" void {name}({ARGUMENTS}) {{ }}\n'


@pytest.mark.parametrize("name", ["matrix_mul", "matrix_mul_optimized", "matrix_mul_origin"])
def test_the_published_names_are_accepted(name: str) -> None:
    assert found("\n" + define(name)) == Entry(name, 2)


@pytest.mark.parametrize("name", ["matrix_mul_bf16", "matrix_mul_bf16_optimized", "matrix_mul_bf16_origin"])
def test_their_bf16_forms_are_accepted(name: str) -> None:
    assert found(define(name), Precision.BF16) == Entry(name, 1)


def test_an_extern_c_block_and_a_broken_line_are_understood() -> None:
    source = 'extern "C" {\nvoid\nmatrix_mul(const float* A,\n int K)\n{\n}\n}'
    assert found(source) == Entry("matrix_mul", 2)


@pytest.mark.parametrize(
    "head", ["int ", "cudaError_t ", "auto ", "const char* ", "unsigned long\n", "::std::size_t ", "void* "]
)
def test_what_an_entry_returns_does_not_matter(head: str) -> None:
    source = f'extern "C" {head}matrix_mul({ARGUMENTS}) {{ return {{}}; }}\n'
    assert found(source) == Entry("matrix_mul", 1)
    assert found(f'extern "C" auto matrix_mul({ARGUMENTS}) noexcept -> int {{ return 0; }}') == Entry(
        "matrix_mul", 1
    )


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (f"#define EVERYWHERE __host__ __device__\n{define('matrix_mul')}", 2),
        (f'#define ENTRY matrix_mul\nextern "C" void ENTRY({ARGUMENTS}) {{ }}', 1),
        (f'#define DEFINE(name) extern "C" void name({ARGUMENTS})\nDEFINE(matrix_mul) {{ }}', 2),
        (f'#define DEFINE(t, name) extern "C" t name({ARGUMENTS}) {{ }}\nDEFINE(void, matrix_mul)', 2),
    ],
)
def test_an_entry_that_macros_make_is_left_for_the_build_to_find(source: str, line: int) -> None:
    assert found(source) == Entry("matrix_mul", line)


@pytest.mark.parametrize(
    "source",
    [
        "void f() { matrix_mul(a, b); }",
        "void f() { if (matrix_mul(a)) { } }",
        "struct S { int matrix_mul; };",
        "void S::matrix_mul(int a) { }",
        "#define OTHER(x) x\nvoid f() { OTHER(a); matrix_mul(b); }",
    ],
)
def test_a_call_or_a_member_is_no_entry(source: str) -> None:
    assert isinstance(found(f'extern "C" int g();\n{source}'), EntryProblem)


@pytest.mark.parametrize("brackets", [0, 1])
def test_declarations_comments_strings_and_kernels_are_no_entries(brackets: int) -> None:
    source = (
        f'extern "C" void matrix_mul({ARGUMENTS});\n'
        f"// void matrix_mul_origin() {{ }}\n/* void matrix_mul_origin() {{}} */\n"
        f'const char* s = "void matrix_mul_origin() {{}}";\n'
        f"template <int N> __global__ void matrix_mul_origin(float* A) {{ }}\n"
    )
    assert found(source + define("matrix_mul")) == Entry("matrix_mul", 6)


def test_two_entries_are_named_with_their_lines() -> None:
    problem = found(define("matrix_mul") + define("matrix_mul_optimized"))
    assert isinstance(problem, EntryProblem)
    assert "matrix_mul (line 1), matrix_mul_optimized (line 2)" in problem.reason
    assert "--entry" in problem.reason


def test_a_chosen_entry_may_be_one_of_two_or_have_any_name() -> None:
    both = define("matrix_mul") + define("matrix_mul_optimized")
    assert found(both, chosen="matrix_mul_optimized") == Entry("matrix_mul_optimized", 2)
    assert found(define("mine"), chosen="mine") == Entry("mine", 1)


def test_no_entry_says_what_to_define() -> None:
    problem = found("__global__ void k() {}")
    assert isinstance(problem, EntryProblem)
    assert 'define extern "C" void matrix_mul(const float* A, const float* B, float* C' in problem.reason


def test_an_entry_for_the_other_precision_is_called_so() -> None:
    problem = found(define("matrix_mul"), Precision.BF16)
    assert isinstance(problem, EntryProblem)
    assert "matrix_mul (line 1), not an entry for bf16" in problem.reason


def test_an_entry_without_extern_c_is_called_so() -> None:
    problem = found(f"void matrix_mul({ARGUMENTS}) {{ }}")
    assert isinstance(problem, EntryProblem)
    assert 'not extern "C"' in problem.reason
