"""What guards look at, one class a stage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.elf import Symbols
from cudamaster.toolchain.outputs import Outputs
from cudamaster.toolchain.timing import Clock
from cudamaster.toolchain.traces import Extent
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.tolerance import Comparison


@dataclass(frozen=True, slots=True, eq=False)
class ObjectEvidence:
    """A compiled candidate, before it runs."""

    symbols: Symbols
    """Of the host object before linking: macros and pasted tokens hide nothing here."""
    source: str
    operator: Operator
    precision: Precision | None = None
    ptx: str = ""
    """Of all its kernels."""


@dataclass(frozen=True, slots=True, eq=False)
class CallEvidence:
    """One checked call that returned."""

    operator: Operator
    workload: Workload
    arguments: Arguments
    outputs: Outputs
    comparisons: Mapping[str, Comparison]
    """Every output against its answer."""
    earlier: Sequence[Mapping[str, NDArray[Any]]]
    """Outputs of this candidate's earlier calls, on other inputs."""

    @property
    def place(self) -> str:
        """Names the workload in a sentence: `paper workload rows=1024 …`."""
        return f"{self.workload.set} workload {self.workload.label}"


@dataclass(frozen=True, slots=True, eq=False)
class TimeEvidence:
    """One timed workload."""

    workload: Workload
    candidate_ms: float
    floor_ms: float
    """The least time the device's peaks allow, in milliseconds."""
    clock: Clock
    least_bytes: int = 0
    """What a right call reads and writes at least."""
    tensor_bytes: Mapping[str, int] = field(default_factory=dict)
    """Of every tensor, by name."""
    extents: Mapping[str, Extent] = field(default_factory=dict)
    """How much of each tensor the call touches; empty where the device does not tell."""
    moved_bytes: int = 0
    """Of device memory, without a kernel."""
    transferred_bytes: int = 0
    """Between the device and the host."""
