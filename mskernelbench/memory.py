"""How large a user's workload may be here: its buffers, against a fixed limit and this machine's memory."""

import os
from pathlib import Path

from mskernelbench.errors import BadShape
from mskernelbench.operator import Operator, Precision, Workload

LIMIT_BYTES = 16 * 2**30
"""All buffers of a workload together, on any machine."""
MEMORY_A_BUFFER = 4
"""Bytes of host memory a byte of buffers: the input, its copy, and answers and bounds in float64."""
MEMINFO = Path("/proc/meminfo")


def require_fitting(operator: Operator, workload: Workload, label: str = "") -> None:
    """Raise BadShape where the buffers of a workload exceed what fits; `label` names it in other words."""
    needed, limit = buffer_bytes(operator, workload), limit_bytes()
    if needed > limit:
        raise BadShape(
            f"{label or workload.label} needs {needed / 2**30:.1f} GiB; at most {limit / 2**30:.1f} GiB fit "
            f"here ({LIMIT_BYTES >> 30} GiB, and 1/{MEMORY_A_BUFFER} of the memory that is free)"
        )


def buffer_bytes(operator: Operator, workload: Workload) -> int:
    """Bytes of all tensors in FP32: what has to move, or more where the operator says so."""
    if operator.buffer_bytes is not None:
        return operator.buffer_bytes(workload)
    return operator.dram_bytes(workload.shape, Precision.FP32)


def limit_bytes() -> int:
    """The most that the buffers of one workload may take here."""
    return min(LIMIT_BYTES, available_bytes() // MEMORY_A_BUFFER)


def available_bytes() -> int:
    """Memory that can be had without swapping; all of the machine's where the kernel does not say."""
    try:
        lines = MEMINFO.read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
