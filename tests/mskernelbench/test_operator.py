from dataclasses import replace
from pathlib import Path

import pytest

from mskernelbench.errors import BaselineMissing
from mskernelbench.operator import BaselineKind, Precision
from mskernelbench.operators.matrix_mul.spec import OPERATOR


def test_a_missing_baseline_is_named(tmp_path: Path) -> None:
    with pytest.raises(BaselineMissing, match=r"operator matrix_mul lacks baseline_bf16\.cu"):
        replace(OPERATOR, folder=tmp_path).baseline(Precision.BF16)


def test_a_missing_published_baseline_is_named_with_what_to_do() -> None:
    with pytest.raises(BaselineMissing, match=r"published_baseline_fp32\.cu in .*; compare with the fair"):
        OPERATOR.baseline(Precision.FP32, BaselineKind.PUBLISHED)
