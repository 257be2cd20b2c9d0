"""Runs Nsight Compute on one call of an entry, and understands why it refuses.

Only the counters that our metrics are made of are collected. Clocks are left as they are, caches are flushed
before each pass, as the timing's are.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cudamaster.toolchain.devices.cuda.ncu_metrics import wanted_counters
from cudamaster.toolchain.devices.cuda.profiling_tools import Tool, call_command, run_tool
from cudamaster.toolchain.process import ProcessResult

NAME = "ncu"
REPORT, LOG = "profile.ncu-rep", "ncu.log"
MOST_LAUNCHES = 256
"""Of one call that are counted; the rest of a longer call is left out."""
TRIES = 6
"""Versions that name one missing counter at a time need one each."""
NO_NCU = (
    "no ncu here: install Nsight Compute (CUDA's package repository: apt install nsight-compute-2025.3.1), "
    "or set CUDAMASTER_NCU to one"
)
NOT_PERMITTED = (
    "this user may not read the GPU's counters (ERR_NVGPUCTRPERM): an administrator allows it with the line "
    "'options nvidia NVreg_RestrictProfilingToAdminUsers=0' in /etc/modprobe.d/nvidia.conf and a restart; "
    "in a container, start it with --cap-add SYS_ADMIN"
)
NO_PROFILER_LIBRARY = (
    "ncu cannot reach the driver's profiler: in a sandbox such as gVisor it never can; else install an ncu "
    "no newer than the driver, and start a container with NVIDIA_DRIVER_CAPABILITIES=all"
)
TAKEN = (
    "another tool holds the GPU's counters: pause it ('dcgmi profile --pause' for DCGM), or stop the other "
    "profiler"
)
_REFUSALS = (
    (re.compile(r"ERR_NVGPUCTRPERM"), NOT_PERMITTED),
    (re.compile(r"LibraryNotLoaded|Failed to initialize the profiler"), NO_PROFILER_LIBRARY),
    (re.compile(r"driver resource was unavailable|DCGM"), TAKEN),
)
_UNKNOWN = re.compile(r"Failed to (?:find metric|access the following \d+ metrics?:?) (.+)")
_WORD = re.compile(r"[\w.:]+")
_ERROR = re.compile(r"==ERROR== (.+)")


class Refused(NamedTuple):
    """Why there is no report."""

    reason: str
    """What is missing or not allowed, and what mends it."""
    lasting: bool
    """Whether the machine is why, so that the next call would be refused too."""


def collect(ncu: Tool, folder: Path, gpu: str) -> Path | Refused:
    """The report of the call prepared in `folder`. A counter that this ncu or GPU lacks is left out."""
    wanted = list(wanted_counters())
    for _ in range(TRIES):
        result = run_tool(_command(ncu, folder, wanted), folder, gpu)
        log = _log(folder)
        unknown = _unknown_counters(log)
        if not unknown.intersection(wanted):
            break
        wanted = [name for name in wanted if name not in unknown]
    if (folder / REPORT).is_file() and not _refusal(log):
        return folder / REPORT
    return _refusal(log) or Refused(_last_words(result, log), lasting=False)


def _command(ncu: Tool, folder: Path, counters: Sequence[str]) -> list[str]:
    return [
        str(ncu.program), "--config-file", "off", "--target-processes", "application-only",
        "--clock-control", "none", "--cache-control", "all", "--profile-from-start", "off",
        "--launch-count", str(MOST_LAUNCHES), "--metrics", ",".join(counters),
        "--export", str(folder / REPORT), "--force-overwrite", "--log-file", str(folder / LOG),
        *call_command(folder),
    ]  # fmt: skip


def _log(folder: Path) -> str:
    """ncu's own words, apart from what the call prints."""
    log = folder / LOG
    return log.read_text(errors="replace") if log.is_file() else ""


def _unknown_counters(log: str) -> set[str]:
    """However they are quoted and told apart."""
    return {word.rstrip(".") for found in _UNKNOWN.findall(log) for word in _WORD.findall(found)}


def _refusal(log: str) -> Refused | None:
    return next((Refused(words, lasting=True) for pattern, words in _REFUSALS if pattern.search(log)), None)


def _last_words(result: ProcessResult, log: str) -> str:
    if result.timed_out:
        return f"ncu took longer than {result.seconds:.0f} s and was stopped"
    said = _ERROR.findall(log) or [line for line in result.output.splitlines() if line.strip()]
    return f"ncu wrote no report: {said[-1].strip() if said else f'it ended with {result.exit_code}'}"
