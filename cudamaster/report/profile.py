"""What is told of a profile: the document `cudamaster.profile/1`, and tables."""

from collections.abc import Callable, Iterable
from math import prod
from typing import TYPE_CHECKING

from cudamaster.report.document import Json
from cudamaster.report.figures import counted
from cudamaster.report.visible import visible
from cudamaster.toolchain.metrics.fitting import fit_limiter
from cudamaster.toolchain.profile import KernelProfile, Profile
from cudamaster.toolchain.timing import Clock

if TYPE_CHECKING:
    from rich.table import Table

SCHEMA = "cudamaster.profile/1"
LEAST_OVERHEAD_US = 0.05
UnitOf = Callable[[str], str]
"""A metric's unit, by its name; empty for one that has none."""
About = Callable[[str], tuple[str, str]]
"""A metric's section and unit, by its name."""


def profile_document(profile: Profile, unit_of: UnitOf, about: Json) -> Json:
    """The JSON document of `profile`; `about` names operator, precision, device and workload."""
    head: Json = {"schema": SCHEMA} | about | {"clock": str(profile.clock), "time_ms": profile.time_ms}
    said = {"counted_by": profile.counted_by, "note": profile.note}
    head |= {name: words for name, words in said.items() if words}
    return head | {"kernels": [kernel_document(kernel, unit_of) for kernel in profile.kernels]}


def kernel_document(kernel: KernelProfile, unit_of: UnitOf) -> Json:
    """One kernel of the call."""
    launch = kernel.launch
    return {
        "name": kernel.name,
        "launch": {
            "grid": list(launch.grid),
            "block": list(launch.block),
            "dynamic_shared_bytes": launch.dynamic_shared_bytes,
            "launches": kernel.launches,
        },
        "time_ms": kernel.time_ms,
        "metrics": {n: {"value": value, "unit": unit_of(n)} for n, value in kernel.metrics.items()},
        "occupancy_limiter": kernel.occupancy_limiter,
        "instruction_mix": {
            "executed": dict(kernel.instruction_mix),
            "machine_code": dict(kernel.machine_mix),
        },
        "bound": kernel.bound,
        "bound_by": kernel.bound_by,
        "hot_lines": [{"line": h.line, "share": h.share, "why": h.why} for h in kernel.hot_lines],
    }


def what_ran(profile: Profile) -> str:
    """`2 kernels`, and how many calls of other kinds."""
    kernels = sum(bool(kernel.symbol) for kernel in profile.kernels)
    others = [kernel.name for kernel in profile.kernels if not kernel.symbol]
    return counted(kernels, "kernel") + (f", and {', '.join(others)}" if others else "")


def kernel_heading(kernel: KernelProfile, sm_count: int, clock: Clock) -> list[str]:
    """Name, launch, time and bound, then occupancy where it is known; `sm_count` is the GPU's."""
    overhead = _overhead_words(kernel) if clock is Clock.MODELLED else ""
    time = f"  {kernel.time_ms:.4g} ms{overhead}, {kernel.bound}-bound: {kernel.bound_by}"
    if not kernel.symbol:
        return [kernel.name, f"  no kernel, {counted(kernel.launches, 'call')}", time]
    grid, block = (" x ".join(str(n) for n in dims) for dims in (kernel.launch.grid, kernel.launch.block))
    shared = f"{kernel.launch.dynamic_shared_bytes} B dynamic shared memory"
    launches = f"{kernel.launches:,} launch{'' if kernel.launches == 1 else 'es'}"
    return [
        kernel.name,
        f"  grid {grid}, block {block}, {shared}, {launches}",
        time,
        *_occupancy_lines(kernel),
        *_idle_lines(kernel, sm_count),
    ]


def _overhead_words(kernel: KernelProfile) -> str:
    """How much of a kernel's time goes before it runs; a duration is that of one launch, the first."""
    if "duration" not in kernel.metrics:
        return ""
    overhead_us = kernel.time_ms * 1e3 - kernel.launches * kernel.metrics["duration"]
    about = "about " if kernel.launches > 1 else ""
    return f" ({about}{overhead_us:.2g} us of it launch overhead)" if overhead_us >= LEAST_OVERHEAD_US else ""


def _occupancy_lines(kernel: KernelProfile) -> list[str]:
    """What was achieved and what would fit, each with what keeps it from being more."""
    reasons = {
        "achieved": kernel.occupancy_limiter,
        "theoretical": fit_limiter(kernel.metrics) or kernel.occupancy_limiter,
    }
    known = [
        f"{kernel.metrics[f'{kind}_occupancy']:.3g} % {kind}, limited by {reason}"
        for kind, reason in reasons.items()
        if reason and f"{kind}_occupancy" in kernel.metrics
    ]
    return [f"  occupancy {'; '.join(known)}"] if known else []


def _idle_lines(kernel: KernelProfile, sm_count: int) -> list[str]:
    """That some multiprocessors have nothing to do, where that is so."""
    blocks = prod(kernel.launch.grid)
    if blocks >= sm_count:
        return []
    return [
        f"  {counted(blocks, 'block')} on {sm_count} multiprocessors: {sm_count - blocks} have nothing to do"
    ]


def metric_table(kernel: KernelProfile, about: About) -> "Table":
    """Metrics with their units, section by section."""
    rows, said = [], ""
    for name, value in kernel.metrics.items():
        section, unit = about(name)
        rows.append((section if section != said else "", name, f"{value:,.4g}", unit))
        said = section
    return _table((("section", "left"), ("metric", "left"), ("value", "right"), ("unit", "left")), rows)


def mix_table(kernel: KernelProfile) -> "Table":
    """Kinds of instructions: of those executed, and of those in the machine code where it was read."""
    kinds = dict.fromkeys((*kernel.instruction_mix, *kernel.machine_mix))
    rows = (
        (kind, _share(kernel.instruction_mix.get(kind)), _share(kernel.machine_mix.get(kind)))
        for kind in kinds
    )
    columns = (("instructions", "left"), ("executed (PTX)", "right"), ("in the code (SASS)", "right"))
    shown = len(columns) if kernel.machine_mix else 2
    return _table(columns[:shown], (row[:shown] for row in rows))


def _share(share: float | None) -> str:
    return f"{100 * share:.1f} %" if share else ""


def hot_line_table(kernel: KernelProfile, source: str) -> "Table":
    """The lines that cost time, with their text."""
    text = source.splitlines()
    rows = (
        (
            str(h.line),
            f"{100 * h.share:.0f} %",
            h.why,
            text[h.line - 1].strip() if h.line <= len(text) else "",
        )
        for h in kernel.hot_lines
    )
    columns = (("line", "right"), ("share", "right"), ("why", "left"), ("source", "left"))
    return _table(columns, rows)


def _table(columns: tuple[tuple[str, str], ...], rows: Iterable[tuple[str, ...]]) -> "Table":
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE, pad_edge=False)
    for name, side in columns:
        table.add_column(name, justify="right" if side == "right" else "left")
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    return table
