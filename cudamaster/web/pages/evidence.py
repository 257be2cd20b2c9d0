"""Why a stored kernel can be believed: what it was judged by, its digests, and what repeats it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from shlex import join

from cudamaster.report.figures import clock_text
from cudamaster.store.codec import Json
from mskernelbench.auditing import GATES
from mskernelbench.guards import STAGES, guards

DIGESTS = {
    "kernel_sha256": "kernel",
    "baseline_sha256": "baseline",
    "ptx_sha256": "PTX it is compiled to",
    "object_sha256": "host object",
    "record_sha256": "the record itself",
}


@dataclass(frozen=True, slots=True)
class Guard:
    """One rule that the kernel passed."""

    name: str
    about: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is told of a record."""

    verdict: str
    checked: int
    worst_error: float | None
    """As a share of the bound."""
    gates: tuple[str, ...]
    guards: tuple[Guard, ...]
    digests: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    commands: tuple[tuple[str, str], ...]
    """What each does, and the command."""


def evidence_of(record: Json, origin: str) -> Evidence:
    """The evidence in a record, which is read from the path `origin`."""
    evaluation = record["evaluation"]
    errors = [row["error_ratio"] for row in evaluation["workloads"] if "error_ratio" in row]
    return Evidence(
        verdict=f"{evaluation['status']}: {evaluation['reason']}",
        checked=len(errors),
        worst_error=max(errors, default=None),
        gates=GATES,
        guards=passed_guards(),
        digests=tuple((title, record[name]) for name, title in DIGESTS.items() if name in record),
        facts=tuple(_facts(record)),
        commands=(
            ("reach this verdict again from the evidence", join(["cudamaster", "verify", origin])),
            ("search again, as it was found", record["command"]),
        ),
    )


def _facts(record: Json) -> Iterator[tuple[str, str]]:
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    yield "device", record["device"]
    yield "times", f"{record['clock']}, {clock_text(record['clock_version'])}"
    yield "seeds", f"{record['seed']} for the search, {record['evaluation']['seed']} for this verdict"
    yield "found by", f"{record['model']}, run {record['run']}"
    yield "versions", versions
    yield "time", record["time"]


@cache
def passed_guards() -> tuple[Guard, ...]:
    """Every guard, with the first sentence of its module."""
    names = [(guard.stage, guard.name) for stage in STAGES for guard in guards(stage)]
    return tuple(Guard(name, _about(stage, name)) for stage, name in names)


def _about(stage: str, name: str) -> str:
    text = import_module(f"mskernelbench.guards.{stage}.{name}").__doc__ or ""
    return " ".join(text.split("\n\n")[0].split())
