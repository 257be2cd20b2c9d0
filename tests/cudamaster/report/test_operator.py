import pytest

from cudamaster.report.operator import operator_lines
from mskernelbench.catalog import all_operators, load_operator
from mskernelbench.operator import Operator
from mskernelbench.shapes import described


def page(operator: Operator, width: int = 120) -> list[str]:
    return "\n".join(operator_lines(operator, width)).splitlines()


@pytest.mark.parametrize("operator", all_operators(), ids=lambda operator: operator.name)
def test_a_page_has_every_argument_with_its_type_and_stays_within_the_width(operator: Operator) -> None:
    lines = page(operator)
    for parameter in operator.signature:
        assert any(line.split()[0] == parameter.name and line.startswith("  ") for line in lines), parameter
    assert max(len(line) for line in lines) <= 120


def test_a_page_says_entry_layout_and_what_right_means() -> None:
    lines = page(load_operator("sorting"))

    assert lines[0] == "sorting (alias sort): Sorting, algebra"
    assert 'fp32 entry  extern "C" void sorting(float* data, int N);' in lines
    assert "  data      float* or __nv_bfloat16*, in place, N" in lines
    assert "outputs     The input is overwritten with the answer; it is restored before every call." in lines
    assert any(line.startswith("right, bf16 Answers must be the exact ones") for line in lines)


def test_no_line_breaks_within_a_shape_and_each_can_be_given_back() -> None:
    operator = load_operator("spmv_csr")
    lines = page(operator, 80)
    begin, end = (
        next(i for i, line in enumerate(lines) if line.startswith(name)) for name in ("real", "--shape")
    )
    sizes = " ".join(line[15:].strip() for line in lines[begin:end]).split("; ")

    assert [described(operator, text).pattern for text in sizes] == ["banded", "poisson5", "rmat", "poisson7"]
    assert all(line.endswith((";", "poisson7")) for line in lines[begin:end])
