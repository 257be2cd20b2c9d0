"""Times candidates against the vendor's arm, where there is one that the device can run."""

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.nvcc.finder import find_toolchain
from cudamaster.toolchain.nvcc.libraries import versions
from cudamaster.toolchain.timing import Clock
from mskernelbench.checking import Checker
from mskernelbench.errors import BenchmarkError
from mskernelbench.evaluation import Evaluation, Interval, Vendor, WorkloadResult
from mskernelbench.guards import Refusal
from mskernelbench.lane import Lane
from mskernelbench.operator import Workload
from mskernelbench.racing import Race
from mskernelbench.vendor.arms import VendorArm, find_arm
from mskernelbench.verdict import vendor_overall

OWN_MEMORY = "leaked_memory"
"""The guard that libraries break: their handles keep memory from one call to the next."""

NOWHERE = "it has no time where outputs were compared"


class VendorLacks(Exception):
    """The arm has no time here; the message says why."""


class Rival:
    """The vendor's arm of one lane; costs nothing where there is none. Safe to use from several threads."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._lock = Lock()
        self._ready: Race | VendorLacks | None = None
        arm = find_arm(lane.operator, lane.precision)
        self._arm = arm if arm and self._can_run(arm) else None

    def _can_run(self, arm: VendorArm) -> bool:
        return not arm.needs_gpu or self._lane.device.clock is Clock.MEASURED

    def beside(self, verdict: Evaluation, candidate: Build, workloads: Sequence[Workload]) -> Evaluation:
        """`verdict` on the correct `candidate`, with the arm's times on these of its workloads."""
        if self._arm is None:
            return verdict
        try:
            rows = self._timed(candidate, workloads)
        except VendorLacks as lack:
            return replace(verdict, vendor=Vendor(self._arm.title, lacks=str(lack)))
        known = tuple(_with_vendor(row, rows) for row in verdict.workloads)
        overall = vendor_overall(known, self._lane.device.clock)
        library = f"{self._arm.title} {versions(self._arm.source.libraries, find_toolchain())}"
        return replace(
            verdict, workloads=known, vendor=Vendor(library, overall, lacks=None if overall else NOWHERE)
        )

    def _timed(self, candidate: Build, workloads: Sequence[Workload]) -> list[WorkloadResult]:
        """The candidate's rows over the arm, at least one with a time. Raises VendorLacks."""
        race = self._race()
        try:
            rows = [race.times(candidate, workload) for workload in workloads]
        except BenchmarkError as fault:
            raise VendorLacks(str(fault)) from fault
        finally:
            self._lane.device.release(race.baseline)
        for row in rows:
            if isinstance(row, Refusal):
                raise VendorLacks(f"beside it the kernel is {row.status}: {row.reason}")
        kept = [row for row in rows if isinstance(row, WorkloadResult)]
        if not any(row.speedup for row in kept):
            raise VendorLacks("; ".join({row.left_out or "it has no time" for row in kept}))
        return kept

    def _race(self) -> Race:
        """Against the arm, built and found right once. Raises VendorLacks, at once where it did before."""
        with self._lock:
            if self._ready is None:
                try:
                    self._ready = Race(self._lane, self._right_build())
                except VendorLacks as lack:
                    self._ready = lack
            if isinstance(self._ready, VendorLacks):
                raise VendorLacks(str(self._ready))
            return self._ready

    def _right_build(self) -> Build:
        """The arm, compared with the reference where another version of its library may be another machine's.

        What is modelled runs the toolkit's headers alone, which the suite compares.
        """
        assert self._arm is not None
        try:
            build = self._lane.device.build(self._arm.source)
        except EnvironmentLacks as lack:
            raise VendorLacks(str(lack)) from lack
        if not build.ok:
            raise VendorLacks(f"its arm does not compile: {build.first_error}")
        if self._lane.device.clock is Clock.MEASURED:
            self._require_right(build)
        return build

    def _require_right(self, build: Build) -> None:
        lane = self._lane
        checker = Checker(lane.device, lane.operator, lane.materials, without=(OWN_MEMORY,))
        refusal = checker.compare(build, lane.operator.in_set("check")).refusal
        if refusal:
            raise VendorLacks(f"its arm is {refusal.status}: {refusal.reason}")


def _with_vendor(row: WorkloadResult, timed: Sequence[WorkloadResult]) -> WorkloadResult:
    """`row`, with the time of the arm on its workload."""
    for found in timed:
        if (found.set, found.shape, found.pattern) == (row.set, row.shape, row.pattern):
            return replace(row, vendor_ms=found.baseline_ms, vendor_speedup=_over(found, row))
    return row


def _over(found: WorkloadResult, row: WorkloadResult) -> Interval | None:
    """The speedup over the arm; a modelled time that was settled is not the one that was raced."""
    if row.pairs_ms or not (found.speedup and found.candidate_ms and row.candidate_ms):
        return found.speedup
    return found.speedup.scaled(found.candidate_ms / row.candidate_ms)
