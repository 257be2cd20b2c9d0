"""Vendor arms are found by listing, say what they call, and define the operator's entry."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from mskernelbench.catalog import all_operators, load_operator
from mskernelbench.errors import BadOperator
from mskernelbench.operator import Operator, Precision
from mskernelbench.vendor.arms import VendorArm, find_arm

FP32, BF16 = Precision.FP32, Precision.BF16
LIBRARIES = {
    "cuBLAS": ("cublas",),
    "cuSPARSE": ("cusparse",),
    "cuFFT": ("cufft",),
    "cuDNN": ("cudnn",),
    "cuBLAS+cuDNN": ("cublas", "cudnn"),
    "CUB": (),
}
WITH_ARMS = [operator for operator in all_operators() if find_arm(operator, FP32)]


def arm_of(operator: Operator, precision: Precision = FP32) -> VendorArm:
    found = find_arm(operator, precision)
    assert found is not None
    return found


def test_products_sparse_matrices_transforms_sums_and_sorts_have_arms() -> None:
    found = {operator.name: arm_of(operator).title for operator in WITH_ARMS}

    assert sum(title == "cuSPARSE" for title in found.values()) == 8
    assert found["matrix_mul"] == "cuBLAS"
    assert found["fft"] == "cuFFT"
    assert found["softmax"] == found["conv_2d"] == "cuDNN"
    assert found["sorting"] == found["layer_norm"] == found["rms_norm"] == "CUB"
    assert found["softmax_attention"] == "cuBLAS+cuDNN"
    assert "relu" not in found


@pytest.mark.parametrize("operator", WITH_ARMS, ids=lambda operator: str(operator.name))
def test_an_arm_is_linked_with_what_it_calls_and_takes_what_the_entry_takes(operator: Operator) -> None:
    for precision in Precision:
        arm = arm_of(operator, precision)
        source = arm.source
        head = re.search(r'extern "C" void ENTRY\((\w+)\)\((.*?)\) \{', source.text, re.DOTALL)
        assert head is not None
        assert source.libraries == LIBRARIES[arm.title]
        assert source.entry == operator.entry_symbol(precision)
        assert head[1] == operator.symbol
        declared = operator.c_signature(FP32).partition("(")[2][:-1].replace("float*", "Value*")
        names = re.findall(r"(\w+)(?:,|$)", declared)
        assert re.findall(r"(\w+)(?:,|$)", head[2]) == [*names, "stream"]


def test_headers_are_written_once_into_the_text_and_bf16_is_said_first() -> None:
    text = arm_of(load_operator("spmv_ell"), BF16).source.text

    assert text.startswith("#define BF16\n")
    assert text.count("class Scratch {") == 1
    assert not re.search(r'^#include "(?!cub)', text, re.MULTILINE)
    assert "#define BF16" not in arm_of(load_operator("spmv_ell"), FP32).source.text


def test_only_libraries_need_a_gpu() -> None:
    needs = {name: arm_of(load_operator(name)).needs_gpu for name in ("matrix_mul", "sorting")}

    assert needs == {"matrix_mul": True, "sorting": False}


def test_an_arm_that_does_not_say_what_it_calls_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vendor.cu").write_text('extern "C" void relu() {}\n')

    with pytest.raises(BadOperator, match="no line '// vendor: NAME'"):
        find_arm(replace(load_operator("relu"), folder=tmp_path), FP32)


def test_a_file_beside_an_operator_of_one_file_is_no_arm(tmp_path: Path) -> None:
    (tmp_path / "vendor.cu").write_text("// the user's own\n")
    alone = replace(load_operator("relu"), folder=tmp_path, baselines={FP32: tmp_path / "kernel.cu"})

    assert find_arm(alone, FP32) is None
