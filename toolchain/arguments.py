"""What an entry is called with: device tensors and scalars, in the order of its signature."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Access(StrEnum):
    """What the entry may do with a tensor."""

    INPUT = "input"
    OUTPUT = "output"
    IN_PLACE = "in_place"


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """One device buffer, passed as a pointer."""

    name: str
    array: NDArray[Any]
    """What it holds before the call, C-contiguous: inputs' values, outputs' poison or zeros.

    An output that holds one value everywhere may be that one element, broadcast.

    BF16 is `ml_dtypes.bfloat16`. Never modified by a device.
    """
    access: Access


@dataclass(frozen=True, slots=True)
class Scalar:
    """One argument passed by value."""

    name: str
    value: float | int
    ctype: str
    """`int` (32 bits), `float` (32 bits), `bf16` (a two-byte `__nv_bfloat16` structure), or `null`, the
    pointer of an optional tensor that is left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Arguments:
    """The arguments of one call, in the entry's order. One `cudaStream_t` is always passed after them."""

    items: tuple[Tensor | Scalar, ...]
    label: str
    """Names the workload and seed; equal labels mean equal bytes, so a device may keep inputs mapped."""

    @property
    def tensors(self) -> Iterator[Tensor]:
        """The buffers only."""
        return (item for item in self.items if isinstance(item, Tensor))

    @property
    def nbytes(self) -> int:
        """Bytes of all buffers."""
        return int(np.sum([t.array.nbytes for t in self.tensors], dtype=np.int64))
