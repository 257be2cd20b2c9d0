"""Builds candidates: finds the entry, compiles it, and looks the object over before anything runs."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.elf import read_symbols
from cudamaster.toolchain.kernel import KernelSource
from mskernelbench.entries import EntryProblem, find_entry
from mskernelbench.evaluation import Status
from mskernelbench.guards import Refusal, first_refusal
from mskernelbench.guards.evidence import ObjectEvidence
from mskernelbench.guards.findings import keeps_state, tells_blocks
from mskernelbench.operator import Operator, Precision
from mskernelbench.signatures import surplus_parameter


class Built(NamedTuple):
    """A candidate that can run."""

    entry: str
    build: Build
    keeps_state: bool
    """Whether one call could leave something to the next."""
    telling: bool = False
    """Whether a block can tell which others have run."""


@dataclass(frozen=True, slots=True)
class Building:
    """For one operator at one precision on one device."""

    device: Device
    operator: Operator
    precision: Precision
    without: Collection[str] = ()
    """Guards that do not count."""

    def build(self, source: str, entry: str | None) -> Built | Refusal:
        """The candidate, or what the compiler or the object says against it."""
        found = find_entry(source, self.operator, self.precision, entry)
        if isinstance(found, EntryProblem):
            return Refusal(Status.BUILD_FAILED, found.reason, rule="entry")
        surplus = surplus_parameter(source, found.name, self.operator)
        if surplus is not None:
            return Refusal(Status.BUILD_FAILED, surplus, rule="entry")
        build = self.device.build(KernelSource(source, found.name))
        if not build.ok:
            return Refusal(Status.BUILD_FAILED, build.first_error, rule="compiler")
        evidence = self.object_evidence(build)
        if evidence is None:
            return Built(found.name, build, keeps_state=False)
        refusal = self._gate(evidence, found.name)
        return refusal or Built(found.name, build, keeps_state(evidence), tells_blocks(evidence))

    def compiled(self, source: str, entry: str | None) -> Build | None:
        """What `source` is compiled to, found again where it was judged before; None where it cannot be."""
        found = find_entry(source, self.operator, self.precision, entry)
        if isinstance(found, EntryProblem):
            return None
        build = self.device.build(KernelSource(source, found.name))
        return build if build.ok else None

    def object_evidence(self, build: Build) -> ObjectEvidence | None:
        """The compiled object; devices without host objects have nothing to look at."""
        if build.host_object is None:
            return None
        ptx = build.ptx.read_text() if build.ptx else ""
        symbols = read_symbols(build.host_object)
        return ObjectEvidence(symbols, build.source.text, self.operator, self.precision, ptx)

    def _gate(self, evidence: ObjectEvidence, entry: str) -> Refusal | None:
        """What the compiled object says against it."""
        if entry not in evidence.symbols.defined:
            reason = f'the object has no extern "C" function {entry}: is it a template, static or inline?'
            return Refusal(Status.BUILD_FAILED, reason, rule="entry")
        return first_refusal("objects", evidence, self.without)
