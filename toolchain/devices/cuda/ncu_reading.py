"""Reads Nsight Compute's report with NVIDIA's package `ncu_report`: kernels, metrics, bound, hot lines.

The package is that of PyPI (the extra `gpu`), or the one that is installed beside ncu.
"""

import importlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.cuda.ncu_hot_lines import Sampled, hot_lines
from cudamaster.toolchain.devices.cuda.ncu_metrics import (
    DYNAMIC_SHARED,
    LAUNCH_COUNTERS,
    SECONDS,
    Counted,
    counter_value,
    means,
    metric_values,
)
from cudamaster.toolchain.devices.cuda.profiling_bound import bound_of, occupancy_limiter
from cudamaster.toolchain.profile import KernelProfile, Launch

READER = "ncu_report"
NO_READER = f"ncu's reports cannot be read: pip install -e '.[gpu]' for the package {READER}"
BESIDE = ("extras/python", "../extras/python", "../../extras/python")
INSTALLED = ("/opt/nvidia/nsight-compute/*/extras/python", "/usr/local/cuda*/nsight-compute-*/extras/python")


class ReaderMissing(Exception):
    """There is no `ncu_report` here; the message says how to get it."""


class Action(Counted, Sampled, Protocol):
    """The part of `ncu_report.IAction` that is used: one profiled launch."""

    NameBase_DEMANGLED: int
    NameBase_MANGLED: int

    def name(self, name_base: int) -> str:
        """The kernel's name."""


def load_actions(report: Path, ncu: Path) -> tuple[Action, ...]:
    """The launches in a report, in their order. Raises ReaderMissing; `ncu` says where to look for it too."""
    context = _reader(ncu).load_report(str(report))
    ranges = (context.range_by_idx(index) for index in range(context.num_ranges()))
    return tuple(found.action_by_idx(i) for found in ranges for i in range(found.num_actions()))


def kernels_of(actions: Sequence[Action], build: Build) -> tuple[KernelProfile, ...]:
    """A profile of each kernel and shape of launch, the most expensive first.

    Launches alike are one: times add up, metrics are means over them.
    """
    alike: dict[tuple[str, Launch], list[Action]] = {}
    for action in actions:
        alike.setdefault((action.name(action.NameBase_MANGLED), _launch(action)), []).append(action)
    kernels = (_kernel(symbol, launch, same, build) for (symbol, launch), same in alike.items())
    return tuple(sorted(kernels, key=lambda kernel: -kernel.time_ms))


def _kernel(symbol: str, launch: Launch, actions: Sequence[Action], build: Build) -> KernelProfile:
    metrics = means([metric_values(action) for action in actions]) | _spills(symbol, build)
    bound, bound_by = bound_of(metrics)
    return KernelProfile(
        actions[0].name(actions[0].NameBase_DEMANGLED),
        launch,
        len(actions),
        sum((counter_value(action, SECONDS) or 0.0) for action in actions) / 1e3,
        metrics,
        bound,
        bound_by,
        hot_lines(actions, build.source.filename),
        symbol=symbol,
        occupancy_limiter=occupancy_limiter(metrics),
    )


def _launch(action: Action) -> Launch:
    sizes = [int(counter_value(action, name) or 1) for name in LAUNCH_COUNTERS]
    grid, block = sizes[:3], sizes[3:]
    return Launch(
        (grid[0], grid[1], grid[2]),
        (block[0], block[1], block[2]),
        int(counter_value(action, DYNAMIC_SHARED) or 0),
    )


def _spills(symbol: str, build: Build) -> dict[str, float]:
    """What only the compiler tells."""
    known = next((one for one in build.resources if one.name == symbol), None)
    if known is None:
        return {}
    return {"spill_bytes_per_thread": float(known.spill_store_bytes + known.spill_load_bytes)}


def _reader(ncu: Path) -> Any:
    """The package, from wherever it is."""
    for folder in ("", *_reader_folders(ncu)):
        if folder and folder not in sys.path:
            sys.path.append(folder)
        try:
            return importlib.import_module(READER)
        except ImportError:
            continue
    raise ReaderMissing(NO_READER)


def _reader_folders(ncu: Path) -> Iterator[str]:
    beside = (ncu.parent / place for place in BESIDE)
    installed = (
        place for pattern in INSTALLED for place in sorted(Path("/").glob(pattern[1:]), reverse=True)
    )
    return (str(place.resolve()) for place in (*beside, *installed) if (place / f"{READER}.py").is_file())
