"""Every profiler metric, declared once: name, unit, meaning, Nsight Compute counter, and how it is computed.

Each module of this folder declares those of a section or two.
"""

import importlib
import pkgutil

from cudamaster.toolchain.counts import Counts
from cudamaster.toolchain.metrics.declaring import DECLARED, SECTIONS, Metric

__all__ = ["METRICS", "SECTIONS", "Metric", "measure"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

METRICS = dict(sorted(DECLARED.items(), key=lambda named: SECTIONS.index(named[1].section)))
"""Metrics by name, section by section."""


def measure(counts: Counts) -> dict[str, float]:
    """Values of all metrics that `counts` has something to say about."""
    values = {name: declared.compute(counts) for name, declared in METRICS.items()}
    return {name: value for name, value in values.items() if value is not None}
