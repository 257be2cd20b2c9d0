"""Reaches a stored record's verdict again from its evidence, and names what differs.

The seal shows that a byte was changed; who changes that too is found out by what the kernel is compiled to,
and by what the referee, with the record's seed, says of it now.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from cudamaster.store.codec import Json
from cudamaster.store.results import SEAL, digest_of, seal_of
from cudamaster.toolchain.digests import digests
from cudamaster.toolchain.timing import Clock
from mskernelbench.evaluation import credited_speedups, interval_document
from mskernelbench.ratios import of_pairs, over_all
from mskernelbench.referee import Referee
from mskernelbench.verdict import counting

TOLERANCE = 1e-9
"""Relative; figures are written with all their digits."""
MODEL_TOLERANCE = 0.02
"""Relative, for what is judged again: the modelled cache sees the addresses that buffers happen to lie at."""
DRAWN = ("error_ratio", "sampled")
"""Of a workload that one verdict compared and another did not: heavy ones are drawn anew."""
COMPILED = ("ptx_sha256", "object_sha256")
MOST_NAMED = 20
Difference = str


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of one record."""

    record: str
    """Its path."""
    differences: tuple[Difference, ...]
    """Each in one sentence; empty where the record holds."""
    unverified: tuple[str, ...]
    """What could not be looked at, and why."""

    @property
    def holds(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "record": self.record,
            "holds": self.holds,
            "differences": list(self.differences),
            "unverified": list(self.unverified),
        }


def differences_on_paper(record: Json, kernel: str, baseline: str) -> Iterator[Difference]:
    """What differs between a record, its kernel's source and our baseline, without running anything."""
    if SEAL in record and record[SEAL] != seal_of(record):
        yield "the record was changed after it was sealed: record_sha256 is not its hash"
    for what, source, name in (("kernel.cu", kernel, "kernel"), ("our baseline", baseline, "baseline")):
        if record[f"{name}_sha256"] != digest_of(source):
            yield f"{what} is not the source whose hash is {name}_sha256"
    yield from _derived(record["evaluation"])


def _derived(evaluation: Mapping[str, Any]) -> Iterator[Difference]:
    """Figures of the whole that do not follow from the workloads' own."""
    intervals = credited_speedups(evaluation)
    if not intervals or "speedup" not in evaluation:
        yield "the record has no speedup, and so no verdict to reach again"
        return
    mean = interval_document(over_all(intervals, Clock(evaluation["clock"])), "geomean")
    for name, figure in (mean or {}).items():
        if not _same(figure, evaluation["speedup"][name]):
            stored = evaluation["speedup"][name]
            yield f"speedup.{name} is {_short(stored)}, and {figure:.6g} follows from the workloads"
    for i, row in enumerate(evaluation["workloads"]):
        if "speedup" in row:
            yield from (f"workloads[{i}].{words}" for words in _not_of_its_times(row, evaluation["clock"]))


def _not_of_its_times(row: Mapping[str, Any], clock: str) -> Iterator[Difference]:
    """Figures of one workload that do not follow from its times."""
    if clock == Clock.MODELLED:
        if not _same(row["baseline_ms"] / row["candidate_ms"], row["speedup"]["median"]):
            yield "speedup.median is not its baseline_ms divided by its candidate_ms"
        return
    if "pairs_ms" not in row:  # an earlier version did not keep them
        return
    baseline_ms, candidate_ms = zip(*row["pairs_ms"], strict=True)
    found = interval_document(of_pairs(baseline_ms, candidate_ms), "median") or {}
    medians = {"baseline_ms": median(baseline_ms), "candidate_ms": median(candidate_ms)}
    for name, figure in medians.items():
        if not _same(figure, row[name]):
            yield f"{name} is not the median of its pairs"
    for name, figure in found.items():
        if not _same(figure, row["speedup"][name]):
            yield f"speedup.{name} is {_short(row['speedup'][name])}, and {figure:.6g} follows from its pairs"


def differences_when_compiled(record: Json, kernel: str, referee: Referee) -> Iterator[Difference]:
    """What differs when the kernel is built again with the record's nvcc.

    One hash that is found again is enough: nvcc numbers PTX registers by chance, since it orders some of what
    it holds by addresses, which a system draws anew for each process.
    """
    build = referee.built(kernel, record["entry"])
    found = digests(build) if build else {}
    known = [name for name in COMPILED if name in record]
    if known and all(record[name] != found.get(name) for name in known):
        yield f"the kernel is compiled to something else than what {' and '.join(known)} tell of"


def differences_when_judged(record: Json, kernel: str, referee: Referee) -> Iterator[Difference]:
    """What differs when `referee`, which has the record's seed and workloads, judges the kernel again.

    In its means those gains count that do in the record: heavy workloads are drawn anew.
    """
    verdict, rows = referee.evaluate(kernel, record["entry"]), record["evaluation"]["workloads"]
    if len(verdict.workloads) == len(rows):
        verdict = counting(verdict, [row.get("counted", True) for row in rows])
    again = verdict.document()
    known = _of_this_vendor(record["evaluation"], again)
    known.pop("reason", None)
    if again["status"] != known["status"]:
        yield f"the referee now says {again['status']}: {again['reason']}"
    elif known["clock"] == Clock.MODELLED:
        yield from list(_unequal(known, again, ""))[:MOST_NAMED]


def _of_this_vendor(stored: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """`stored`, without the times of a vendor's library that is another version here, or is not here."""
    if stored.get("vendor", {}).get("library") == found.get("vendor", {}).get("library"):
        return dict(stored)
    rows = [{k: v for k, v in row.items() if not k.startswith("vendor")} for row in stored["workloads"]]
    return {k: v for k, v in stored.items() if k != "vendor"} | {"workloads": rows}


def _unequal(stored: Any, found: Any, place: str) -> Iterator[Difference]:
    """Every place where two JSON values differ."""
    if isinstance(stored, Mapping) and isinstance(found, Mapping):
        for name in stored:  # fields may have been added since
            if name in DRAWN and None in (stored[name], found.get(name)):
                continue
            yield from _unequal(stored.get(name), found.get(name), f"{place}.{name}" if place else name)
    elif isinstance(stored, list) and isinstance(found, list) and len(stored) == len(found):
        for i, (one, other) in enumerate(zip(stored, found, strict=True)):
            yield from _unequal(one, other, f"{place}[{i}]")
    elif not _same(stored, found, MODEL_TOLERANCE):
        yield f"{place} is {_short(stored)} in the record, and {_short(found)} when judged again"


def _same(one: Any, other: Any, tolerance: float = TOLERANCE) -> bool:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (one, other))
    return abs(one - other) <= tolerance * max(abs(one), abs(other)) if numbers else bool(one == other)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
