"""The precisions that operators are stated in."""

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mskernelbench.errors import PackageMissing

if TYPE_CHECKING:
    import numpy as np

NO_BF16 = "BF16 needs the Python package ml_dtypes: pip install ml_dtypes"


class Precision(StrEnum):
    """The type of an operator's values."""

    FP32 = "fp32"
    BF16 = "bf16"

    @property
    def ctype(self) -> str:
        """How CUDA C++ spells it."""
        return "float" if self is Precision.FP32 else "__nv_bfloat16"

    @property
    def value_bytes(self) -> int:
        """Bytes a value."""
        return 4 if self is Precision.FP32 else 2

    @property
    def unit_roundoff(self) -> float:
        """Largest relative error of one rounding to nearest: 2^-24 with 24 significant bits, 2^-8 with 8."""
        return 2.0**-24 if self is Precision.FP32 else 2.0**-8

    @property
    def dtype(self) -> "np.dtype[Any]":
        """As a NumPy type; BF16 is `ml_dtypes.bfloat16`. Raises PackageMissing without that package."""
        import numpy as np

        if self is Precision.FP32:
            return np.dtype(np.float32)
        try:
            from ml_dtypes import bfloat16
        except ImportError as missing:
            raise PackageMissing(NO_BF16) from missing
        bf16: np.dtype[Any] = np.dtype(bfloat16)
        return bf16
