"""Reads what compute-sanitizer writes: each report becomes a fault in words of ours.

A report is a headline and indented details; every line begins with `=========`.
"""

import re
from collections.abc import Iterator, Sequence

from cudamaster.toolchain.outputs import Fault

MARK = "========="
SUMMARY = "SUMMARY:"
_HEAD = re.compile(r"========= (?P<words>\S.*)")
_DETAIL = re.compile(r"========= {2,}(?P<words>\S.*)")
_PLACE = re.compile(r"at (?P<kernel>.+?)\+0x[0-9a-f]+(?: in (?:.*/)?(?P<file>[^/:]+):(?P<line>\d+))?")
_THREAD = re.compile(r"by thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)")
_ADDRESS = re.compile(r"(?:Address|Access to) 0x[0-9a-f]+ is (?P<what>.+)")
_NEAR = re.compile(r"and is (?P<bytes>[\d,]+) bytes (?P<side>before|after) the nearest allocation")
_RACE = re.compile(r"Error: Race reported between (?P<first>Write|Read) access (?P<place>at .+)")
_OTHER = re.compile(
    r"and (?P<second>Write|Read) access (?P<place>at .+?)(?: \[(?P<hazards>\d+) hazards?\])?$"
)
_KINDS = (
    (re.compile(r"Invalid __\w+__ (read|write|atomic)"), "out_of_bounds"),
    (re.compile(r"Uninitialized __\w+__ memory read"), "uninitialised"),
    (re.compile(r"Barrier error|Divergent thread"), "barrier_divergence"),
    (re.compile(r"Program hit (\w+) .*on CUDA API call"), "refused_call"),
)
_MISALIGNED = "misaligned"


def read_faults(log: str, filename: str) -> tuple[Fault, ...]:
    """The faults of a log, each place told once; lines are of the source `filename`.

    Calls that fail after a kernel's fault only repeat it and are left out, and so are warnings: two writes of
    one value, say, harm nobody.
    """
    found = [fault for report in _reports(log) for fault in _fault(report, filename)]
    in_kernels = [fault for fault in found if fault.kind != "refused_call"]
    alike = {(fault.kind, fault.kernel, fault.line, fault.other_line): fault for fault in in_kernels[::-1]}
    return tuple(reversed(alike.values())) or tuple(found[:1])


def _reports(log: str) -> Iterator[list[str]]:
    """The words of each report, its headline first."""
    report: list[str] = []
    for line in log.splitlines():
        if detail := _DETAIL.match(line):
            report.append(detail["words"])
        elif _OTHER.match(line.removeprefix(MARK).strip()) and report:
            report.append(line.removeprefix(MARK).strip())
        elif line.startswith(MARK):
            if report:
                yield report
            head = _HEAD.match(line)
            report = [head["words"]] if head else []
    if report:
        yield report


def _fault(report: Sequence[str], filename: str) -> Iterator[Fault]:
    headline, *details = report
    if race := _RACE.match(headline):
        yield from _race(race, details, filename)
        return
    kind = next((kind for pattern, kind in _KINDS if pattern.match(headline)), None)
    if kind is None:
        return
    address = next(filter(None, map(_ADDRESS.match, details)), None)
    if address and _MISALIGNED in address["what"]:
        kind = _MISALIGNED
    place = next(filter(None, map(_PLACE.match, details)), None)
    thread, block = _who(details)
    words = headline.replace("__", "").rstrip(".")
    yield Fault(
        kind,
        f"{words}{_where(address, details)}",
        place["kernel"] if place else None,
        _line(place, filename),
        block,
        thread,
    )


def _race(race: re.Match[str], details: Sequence[str], filename: str) -> Iterator[Fault]:
    """One fault for each access that the first may meet."""
    first = _PLACE.match(race["place"])
    for other in filter(None, map(_OTHER.match, details)):
        second = _PLACE.match(other["place"])
        hazards = f" ({other['hazards']} hazards)" if other["hazards"] else ""
        words = (
            f"a {race['first'].lower()} and a {other['second'].lower()} of one place are not ordered{hazards}"
        )
        kernel = first["kernel"] if first else None
        yield Fault("race", words, kernel, _line(first, filename), other_line=_line(second, filename))


def _who(
    details: Sequence[str],
) -> tuple[tuple[int, int, int] | None, tuple[int, int, int] | None]:
    """Thread and block."""
    match = next(filter(None, map(_THREAD.match, details)), None)
    if match is None:
        return None, None
    numbers = [int(number) for number in match.groups()]
    return (numbers[0], numbers[1], numbers[2]), (numbers[3], numbers[4], numbers[5])


def _where(address: re.Match[str] | None, details: Sequence[str]) -> str:
    """How the address is wrong, without the address, which another call would not find again."""
    near = next(filter(None, map(_NEAR.match, details)), None)
    if near:
        return f", {near['bytes']} bytes {near['side']} the nearest allocation"
    return f", which is {address['what']}" if address else ""


def _line(place: re.Match[str] | None, filename: str) -> int | None:
    return int(place["line"]) if place and place["line"] and place["file"] == filename else None
