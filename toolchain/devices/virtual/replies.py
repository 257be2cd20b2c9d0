"""Profiles as a worker says them, between JSON and the toolchain's nouns.

The worker's half encodes; the trusted half decodes and takes nothing for granted.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from cudamaster.toolchain.profile import HotLine, KernelProfile, Launch, Profile
from cudamaster.toolchain.timing import Clock
from cudamaster.toolchain.traces import Extent
from cudamaster.toolchain.worker.replies import (
    NO_PARTS,
    ReplyForged,
    entries,
    number,
    text,
    three,
    whole,
)


def encode_profile(profile: Profile) -> list[dict[str, Any]]:
    """For `decode_profile`."""
    return [asdict(kernel) for kernel in profile.kernels]


def decode_profile(kernels: Any) -> Profile:
    """Raises ReplyForged."""
    try:
        return Profile(Clock.MODELLED, tuple(_kernel(fields) for fields in entries(kernels)))
    except NO_PARTS as failure:
        raise ReplyForged("a profile without its parts") from failure


def encode_extents(found: Mapping[str, Extent]) -> dict[str, list[float]]:
    """For `decode_extents`."""
    return {name: [extent.least, extent.usual, extent.most, extent.sampled] for name, extent in found.items()}


def decode_extents(found: Any) -> Mapping[str, Extent]:
    """Raises ReplyForged."""
    try:
        amounts = {text(name): [number(amount) for amount in four] for name, four in found.items()}
        return {name: Extent(*four) for name, four in amounts.items()}
    except NO_PARTS as failure:
        raise ReplyForged("extents without their parts") from failure


def decode_launched(counts: Any) -> Mapping[str, int] | None:
    """How often what was launched; None where data that was not there may decide it. Raises ReplyForged."""
    if counts is None:
        return None
    if not isinstance(counts, dict):
        raise ReplyForged("no counts")
    return {str(words): whole(count) for words, count in counts.items()}


def _kernel(fields: Mapping[str, Any]) -> KernelProfile:
    launch = fields["launch"]
    return KernelProfile(
        name=text(fields["name"]),
        launch=Launch(three(launch["grid"]), three(launch["block"]), whole(launch["dynamic_shared_bytes"])),
        launches=whole(fields["launches"]),
        time_ms=number(fields["time_ms"]),
        metrics={text(name): _finite(value) for name, value in fields["metrics"].items()},
        bound=text(fields["bound"]),
        bound_by=text(fields["bound_by"]),
        hot_lines=tuple(
            HotLine(whole(line["line"]), number(line["share"]), text(line["why"]))
            for line in entries(fields["hot_lines"])
        ),
        symbol=text(fields["symbol"]),
        occupancy_limiter=text(fields["occupancy_limiter"]),
        instruction_mix={text(kind): number(share) for kind, share in fields["instruction_mix"].items()},
    )


def _finite(value: Any) -> float:
    found = float(value)
    if not math.isfinite(found):
        raise ReplyForged("no figure")
    return found
