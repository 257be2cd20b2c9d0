"""The user's own sizes."""

import pytest

from cudamaster.agents.wording import shape_words
from cudamaster.report.figures import shape_text
from mskernelbench.answers import draw_inputs
from mskernelbench.catalog import all_operators, load_operator
from mskernelbench.errors import BadShape
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.shapes import described, parse_shape
from tests.mskernelbench.sparse_cases import SPARSE

MATRIX_MUL, STENCIL, SPMV = (load_operator(name) for name in ("matrix_mul", "stencil_2d", "spmv_csr"))
FFT, ROPE, POOLING, CONV, SIMPSON = (
    load_operator(name) for name in ("fft", "rope", "max_pooling_2d", "conv_1d", "simpson_int")
)
SPMM, ELL = (load_operator(name) for name in ("spmm_csr", "spmv_ell"))


def test_sizes_are_given_by_the_entrys_names_in_any_order_and_case() -> None:
    assert parse_shape(MATRIX_MUL, "k=4096, M=4097,N=2048").shape == {"M": 4097, "N": 2048, "K": 4096}


def test_a_scalar_may_be_left_out_or_given() -> None:
    assert parse_shape(STENCIL, "nx=64,ny=32").shape == {"r": 0.25, "nx": 64, "ny": 32}
    assert parse_shape(STENCIL, {"nx": "64", "ny": "32", "r": "0.1"}).shape["r"] == 0.1


def test_a_size_that_may_be_zero_is_taken() -> None:
    sizes = "N=1,C=2,H=9,W=8,kernel_size=3,stride=2,padding=0"
    assert parse_shape(POOLING, sizes).shape["padding"] == 0


def test_a_sparse_matrix_is_given_by_rows_and_density_or_entries_a_row() -> None:
    workload = parse_shape(SPMV, "rows=4096,cols=2048,nnz_per_row=20.5,pattern=rmat")
    assert (workload.shape, workload.pattern) == ({"rows": 4096, "cols": 2048, "nnz": 83968}, "rmat")
    assert parse_shape(SPMV, "rows=100,nnz=321").shape == {"rows": 100, "cols": 100, "nnz": 321}
    assert parse_shape(SPMV, "rows=100,density=0.5").shape == {"rows": 100, "cols": 100, "nnz": 5000}


def test_a_poisson_problem_needs_only_its_rows() -> None:
    assert parse_shape(SPMV, "rows=9,pattern=poisson5").shape == {"rows": 9, "cols": 9, "nnz": 33}
    assert parse_shape(SPMV, "rows=27,pattern=poisson7").shape["nnz"] == 27 + 2 * 3 * 2 * 9


def printed(workload: Workload) -> list[str]:
    """A workload as tables, lessons, briefings and refusals print it."""
    pattern = workload.pattern or ""
    briefed = f"{shape_words(workload.shape)} ({pattern})" if pattern else ""
    texts = (shape_text(workload.shape, pattern), f"{shape_words(workload.shape)} {pattern}", briefed)
    return [workload.label, *(text for text in texts if pattern)]


@pytest.mark.parametrize("operator", all_operators(), ids=lambda operator: operator.name)
def test_what_is_printed_of_a_workload_can_be_given_back(operator: Operator) -> None:
    for workload in operator.workloads:
        for text in printed(workload):
            again = described(operator, text)
            assert (again.set, again.shape, again.pattern) == ("user", workload.shape, workload.pattern), text
        assert described(operator, workload.label).label == workload.label


@pytest.mark.parametrize("pattern", ["uniform", "banded", "poisson5", "rmat"])
@pytest.mark.parametrize("operator", [SPMV, SPMM], ids=lambda operator: operator.name)
def test_a_users_own_shape_can_be_given_back(operator: Operator, pattern: str) -> None:
    count = "" if pattern == "poisson5" else ",nnz_per_row=3"
    wide = ",K=5" if operator is SPMM else ""
    workload = parse_shape(operator, f"rows=64,pattern={pattern}{count}{wide}")
    assert parse_shape(operator, shape_text(workload.shape, workload.pattern)) == workload
    assert parse_shape(operator, workload.label) == workload


@pytest.mark.parametrize("name", SPARSE)
@pytest.mark.parametrize("pattern", ["uniform", "banded", "poisson5", "poisson7", "rmat"])
def test_every_sparse_operator_takes_every_pattern(name: str, pattern: str) -> None:
    operator = load_operator(name)
    given = {"rows": "64", "pattern": pattern, **({} if "poisson" in pattern else {"nnz_per_row": "3"})}
    wide = {"K": "5"} if name.startswith("spmm") else {}
    workload = parse_shape(operator, given | wide)
    assert list(workload.shape)[: 3 + len(wide)] == ["rows", "cols", *wide, "nnz"]
    assert ("filled_rows" in workload.shape) == (pattern == "rmat" and bool(wide))
    arrays = draw_inputs(operator, workload, Precision.BF16, seed=0)
    assert operator.reference(workload, arrays)[operator.output_names[0]].shape == (
        64,
        *([5] if wide else []),
    )


@pytest.mark.parametrize(
    ("operator", "text", "words"),
    [
        (SPMM, "rows=8,nnz=4", "K is missing, as in rows=4096,cols=2048,K=64,nnz_per_row=20,pattern=rmat"),
        (SPMM, "rows=8,nnz=4,K=0", "K=0 does not lie between 1"),
        (SPMM, "rows=1000000,cols=1000,nnz=4,K=6000", "needs 22.4 GiB; at most"),
        (SPMV, "rows=8,nnz=4,K=5", "a sparse matrix has no 'K'"),
        (ELL, "rows=524288,nnz=1048576,pattern=rmat", "GiB; at most"),
        (MATRIX_MUL, "M=4", "N is missing; write the shape as M=64,N=2048,K=4096"),
        (MATRIX_MUL, "M=4,N=4,K=4,L=4", "no size 'L'"),
        (MATRIX_MUL, "M=4,N=4,K=x", "K=x is not a whole number"),
        (MATRIX_MUL, "M=4,N=4,K=0", "K=0 does not lie between 1"),
        (MATRIX_MUL, "M=4,N", "'N' is not NAME=VALUE"),
        (MATRIX_MUL, "M=4,M=5,N=1,K=1", "M is given twice"),
        (MATRIX_MUL, "M=100000,N=100000,K=10", "needs 37.3 GiB; at most"),
        (STENCIL, "nx=4,ny=4,r=x", "r=x is not a number"),
        (FFT, "N=12", "N=12 is not a power of two; write the shape as N=1024"),
        (ROPE, "M=4,D=7,base=100", "D=7 is odd"),
        (CONV, "input_size=4,kernel_size=5", "the kernel does not fit into the input"),
        (SIMPSON, "N=1", "N=1 does not lie between 2 and"),
        (POOLING, "N=1,C=1,H=4,W=4,kernel_size=5,stride=1,padding=0", "kernel_size=5 does not fit"),
        (POOLING, "N=1,C=1,H=4,W=4,kernel_size=3,stride=1,padding=2", "padding=2 is more than half"),
        (SPMV, "rows=2147483647,cols=1,nnz_per_row=0", "needs 16.0 GiB; at most"),
        (SPMV, "rows=1,cols=2147483647,nnz_per_row=2147483647", "needs 24.0 GiB; at most"),
        (SPMV, "rows=9 nnz=34 poisson5", "poisson5 fixes nnz, to 33; leave it out"),
        (SPMV, "rows=9 cols=9 nnz=33 file", "give --matrix FILE"),
        (SPMV, "rows=9 nnz=33 uniform mixed", "'mixed' is not NAME=VALUE"),
        (SPMV, "rows=9 nnz=33 uniform pattern=rmat", "'uniform' is not NAME=VALUE"),
        (SPMM, "rows=64 nnz=99 K=5 filled_rows=7 rmat", "filled_rows follows from the rest"),
        (MATRIX_MUL, "M=4 N=4 K=4 rmat", "'rmat' is not NAME=VALUE; write the shape as M=64,N=2048,K=4096"),
        (SPMV, "rows=8,nonzeros=4", "no 'nonzeros'"),
        (SPMV, "rows=8,nnz=4,density=0.5", "give one of nnz, nnz_per_row and density"),
        (SPMV, "rows=8", "one of nnz, nnz_per_row and density"),
        (SPMV, "rows=8,density=0.1,pattern=random", "there are uniform, banded"),
        (SPMV, "rows=8,pattern=poisson5", "rows = n^2; 8 is not, 4 would be"),
        (SPMV, "rows=8,density=0.1,pattern=poisson7", "fixes density"),
        (SPMV, "rows=8,density=nan", "density=nan"),
        (SPMV, "rows=4,cols=4,pattern=rmat,density=7", "density=7 is a share of the matrix"),
    ],
)
def test_a_mistake_is_named(operator: Operator, text: str, words: str) -> None:
    with pytest.raises(BadShape) as caught:
        parse_shape(operator, text)
    assert words in str(caught.value)


def test_a_pattern_alone_is_the_one_timed_workload_that_has_it() -> None:
    timed = [w for w in SPMV.workloads if w.set != "check"]
    patterns = [str(w.pattern) for w in timed]
    single = [w for w in timed if patterns.count(str(w.pattern)) == 1]

    assert single
    for workload in single:
        assert described(SPMV, str(workload.pattern)).label == workload.label


def test_a_pattern_that_several_have_or_none_has_is_said_with_what_can_be_given() -> None:
    timed = [str(w.pattern) for w in SPMV.workloads if w.set != "check"]
    several = next(pattern for pattern in timed if timed.count(pattern) > 1)
    with pytest.raises(
        BadShape, match=rf"timed workloads are {several}: give one of 'rows=\d+ .* {several}'"
    ):
        described(SPMV, several)
    with pytest.raises(BadShape, match=r"'poison5' is not NAME=VALUE; .*, or as one of .*poisson5"):
        described(SPMV, "poison5")
