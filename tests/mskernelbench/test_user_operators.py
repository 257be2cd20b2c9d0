"""A folder of a user's own operators: found as ours are, and what is wrong with one is said in a sentence."""

from pathlib import Path

import numpy as np
import pytest

from mskernelbench.answers import draw_inputs
from mskernelbench.catalog import all_operators, find_operator, operator_names
from mskernelbench.errors import BadOperator, UnknownOperator
from mskernelbench.operator import Precision
from mskernelbench.strictness import complaints
from tests.mskernelbench.own_operator import SPEC, write_operator


def line_of(text: str) -> int:
    """Where `text` first stands in the spec."""
    return SPEC[: SPEC.index(text)].count("\n") + 1


def test_an_operator_of_ones_own_is_found_beside_ours(tmp_path: Path) -> None:
    write_operator(tmp_path)
    names = [operator.name for operator in all_operators(tmp_path)]
    assert names == [*operator_names(), "triple"]
    assert find_operator("TRIPLE", tmp_path).operator.folder == tmp_path / "triple"
    assert find_operator("times_three", tmp_path).alias == "times_three"
    assert find_operator("gemm", tmp_path).operator.name == "matrix_mul"
    with pytest.raises(UnknownOperator, match="nearest: triple"):
        find_operator("tripel", tmp_path)


@pytest.mark.parametrize("precision", Precision)
def test_it_is_held_to_the_same_strictness(tmp_path: Path, precision: Precision) -> None:
    write_operator(tmp_path)
    assert complaints(find_operator("triple", tmp_path).operator, precision) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("import numpy", "import nunpy", r"spec\.py:2: ModuleNotFoundError: No module named 'nunpy'"),
        ("def reference(", "def reference((", rf"spec\.py:{line_of('def reference(')}: SyntaxError: "),
        ("scale = 3", "scale = 3 / 0", r"spec\.py:\d+: ZeroDivisionError: "),
        ("OPERATOR = ", "OPERATORS = ", r"spec\.py: AttributeError: .*'OPERATOR'"),
        ('name="triple"', 'name="treble"', r"spec\.py: its name is 'treble', but its folder 'triple'"),
        (
            '"paper", {"N": 1024}',
            '"large", {"N": 1024}',
            r"its workloads are of the sets \['check', 'large'\]",
        ),
        ('{"N": 37}', '{"N": 1}', "two of its workloads are alike: check N=1 shifted"),
        ('output("y", "N")', 'tensor("y", "N")', "its signature has no output"),
        ('output("y", "N")', 'output("x", "N")', "its parameters share a name"),
        ("Contract.POISONED", "Contract.IN_PLACE", "its output 'y' is not: declare it in_place"),
        ('{"y": (int(shape["N"]),)}', '{"z": (int(shape["N"]),)}', r"its outputs\(shape\) does not give"),
        ('aliases=("times_three",)', 'aliases=("gemm",)', "'gemm' already means the operator matrix_mul"),
    ],
)
def test_a_broken_one_is_one_sentence_with_its_place(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SPEC
    write_operator(tmp_path, spec=SPEC.replace(old, new))
    with pytest.raises(BadOperator, match=said) as caught:
        all_operators(tmp_path)
    assert str(tmp_path / "triple") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_of_ours_is_refused(tmp_path: Path) -> None:
    spec = SPEC.replace('"triple"', '"spmv_csr"').replace('title="', 'title="Another ')
    write_operator(tmp_path, name="spmv_csr", spec=spec)
    with pytest.raises(BadOperator, match="'spmv_csr' already means the operator spmv_csr; give yours"):
        all_operators(tmp_path)


def test_a_missing_baseline_and_an_entry_of_another_name_are_named(tmp_path: Path) -> None:
    write_operator(tmp_path)
    (tmp_path / "triple" / "baseline_bf16.cu").unlink()
    (tmp_path / "triple" / "baseline_fp32.cu").write_text('extern "C" void treble(float* y) {}')
    with pytest.raises(BadOperator, match=r"defines none of triple.*lacks baseline_bf16\.cu"):
        all_operators(tmp_path)


def test_a_folder_without_operators_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(BadOperator, match=r"holds no operator: .* NAME/spec\.py"):
        all_operators(tmp_path)
    with pytest.raises(BadOperator, match="is no folder"):
        find_operator("triple", tmp_path / "nowhere")


def test_what_its_code_raises_later_is_told_with_the_line(tmp_path: Path) -> None:
    write_operator(tmp_path, spec=SPEC.replace('"x": values(', '"x": np.zeros(-1) + values('))
    operator = find_operator("triple", tmp_path).operator
    with pytest.raises(
        BadOperator, match=rf"spec\.py:{line_of('return {')}: ValueError: negative dimensions"
    ):
        draw_inputs(operator, operator.workloads[0], Precision.FP32, seed=0)
    assert np.isfinite(operator.weight({"N": 3}))
