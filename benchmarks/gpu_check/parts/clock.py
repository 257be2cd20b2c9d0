"""What the GPU's clock can tell: its shortest time, the bandwidth of copies, and a kernel beside itself."""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.gpu_check.nouns import DONE, FAILED, OBJECTION, SKIPPED, Item, Part, Row, Session
from benchmarks.gpu_check.parts.baselines import timing_row
from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import Clock, Timing, TimingPlan
from mskernelbench.pairing import paired
from mskernelbench.racing import copy_of
from mskernelbench.ratios import speedup
from mskernelbench.seeds import generator

SOURCE = Path(__file__).with_suffix(".cu")
MIB = 1 << 20
COPIES_MIB = (1, 16, 128)
"""Of each of the two buffers: within L2, about its size, far beyond it."""
EMPTY, COPY = "empty", "copy"
SAMPLES = 50


class Prepared(NamedTuple):
    """A kernel and what it is called with."""

    build: Build
    arguments: Arguments


def items(session: Session) -> Sequence[Item]:
    """The empty kernel, copies, and the control that the referee makes as well."""
    sizes = [size for size in COPIES_MIB if 2 * size * MIB <= session.sizes.dram_bytes] or [1]
    empty = Item(EMPTY, partial(prepare, session, EMPTY, 1), partial(measure, session))
    copies = [
        Item(f"{COPY} {size} MiB", partial(prepare, session, COPY, size), partial(bandwidth, session, size))
        for size in sizes
    ]
    control = Item("control", partial(prepare, session, COPY, sizes[0]), partial(beside_itself, session))
    return [empty, *copies, control]


def prepare(session: Session, entry: str, size_mib: int) -> Prepared:
    """Build it, and make its buffers."""
    count = size_mib * MIB // 4
    x, y = np.arange(count, dtype=np.float32), np.zeros(count, np.float32)
    tensors = Tensor("y", y, Access.OUTPUT), Tensor("x", x, Access.INPUT)
    build = session.device.build(KernelSource(SOURCE.read_text(), entry, SOURCE.name))
    return Prepared(build, Arguments((*tensors, Scalar("n", count, "int")), f"{entry} {size_mib} MiB"))


def measure(session: Session, prepared: Prepared) -> Row:
    """Its time, and what one sample of it costs on the wall's clock."""
    if not prepared.build.ok:
        return {"status": FAILED, "reason": prepared.build.first_error}
    begun = time.perf_counter()
    timing = session.device.time(prepared.build, prepared.arguments, TimingPlan(samples=SAMPLES))
    wall_ms = 1e3 * (time.perf_counter() - begun)
    session.device.release(prepared.build)
    if isinstance(timing, RunFailure):
        return {"status": FAILED, "reason": f"{timing.kind}: {timing.reason}"}
    return {"status": DONE, "wall_ms_a_sample": wall_ms / len(timing.samples_ms)} | timing_row(timing)


def bandwidth(session: Session, size_mib: int, prepared: Prepared) -> Row:
    """The copy's time, and the share of the DRAM peak that reading and writing it once comes to."""
    row = measure(session, prepared)
    if row["status"] != DONE:
        return row
    rate = 2 * size_mib * MIB / (row["ms"] / 1e3)
    return row | {"gb_per_s": rate / 1e9, "share_of_peak": rate / session.device.spec.dram_bytes_per_s}


def beside_itself(session: Session, prepared: Prepared) -> Row:
    """The copy in pairs with another build of itself: the interval must hold 1."""
    if session.device.clock is not Clock.MEASURED:
        return {"status": SKIPPED, "reason": "a modelled kernel is always as fast as itself"}
    builds = prepared.build, session.device.build(copy_of(prepared.build.source))

    def call(arm: int) -> Timing | RunFailure:
        return session.device.time(builds[arm], prepared.arguments, TimingPlan(samples=1))

    pairs = paired(call, generator(session.seed, "gpu-check control"), "the control of gpu-check")
    for build in builds:
        session.device.release(build)
    if isinstance(pairs, RunFailure):
        return {"status": FAILED, "reason": f"{pairs.kind}: {pairs.reason}"}
    own = speedup(*pairs)
    holds = own.low <= 1 <= own.high
    row = {"status": DONE, "low": own.low, "high": own.high, "holds_1": holds}
    return row | ({} if holds else {OBJECTION: f"a kernel is {own.low:.3f} to {own.high:.3f} times itself"})


def figures(rows: Sequence[Row]) -> Row:
    """The shortest time, the best share of the peak, and the control."""
    done = {row["key"]: row for row in rows if row["status"] == DONE}
    shares = [row["share_of_peak"] for row in done.values() if "share_of_peak" in row]
    return {
        "empty_us": 1e3 * done[EMPTY]["ms"] if EMPTY in done else None,
        "sample_ms": done[EMPTY]["wall_ms_a_sample"] if EMPTY in done else None,
        "best_share_of_peak": max(shares, default=None),
        "control_holds_1": done["control"]["holds_1"] if "control" in done else None,
    }


PART = Part("clock", "what the GPU's clock can tell", 10.0, items, figures)
