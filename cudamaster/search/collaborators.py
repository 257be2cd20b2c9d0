"""Who and what a run works with: the device, the operator, the team and the judge, by their seams."""

from collections.abc import Mapping
from dataclasses import dataclass

from cudamaster.agents.team import Team
from cudamaster.search.judge import Judge
from cudamaster.toolchain.spec import DeviceSpec
from mskernelbench.operator import Operator, Precision


@dataclass(frozen=True, slots=True)
class Collaborators:
    """One run's means. What opened them closes them."""

    operator: Operator
    precision: Precision
    entry: str
    device: str
    """The name that opens the device again."""
    spec: DeviceSpec
    clock: str
    """`measured` or `modelled`."""
    clock_version: str
    """Version of the time model or of the driver: times of two versions are not comparable."""
    team: Team
    judge: Judge
    versions: Mapping[str, str]
    """Of cudamaster, nvcc, Python: evidence for the record."""
