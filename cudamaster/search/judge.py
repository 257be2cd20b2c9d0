"""The referee as the search uses it: a quick verdict for every candidate, a full one for the champion."""

from collections.abc import Mapping
from typing import Protocol

from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.profile import Profile
from mskernelbench.evaluation import Evaluation
from mskernelbench.operator import Workload


class Judge(Protocol):
    """Judges sources of one operator, precision and device. Every verb may be called from several threads."""

    def baseline(self) -> str:
        """The baseline's source."""

    def quick(self, source: str) -> Evaluation:
        """Checked on the `check` set, timed on a few workloads spread over the timed sets."""

    def full(self, source: str) -> Evaluation:
        """Checked and timed on every workload."""

    def digests(self, source: str) -> Mapping[str, str]:
        """Hashes of what the source is compiled to, by the names that a record gives them."""

    def profile(self, source: str) -> Profile | RunFailure:
        """Counters on `profiled()`."""

    def profiled(self) -> Workload:
        """The heaviest quick workload."""
