"""Runs NVIDIA's compute-sanitizer on one call of an entry: what it finds are faults, placed in the source.

For champions only: a checked call takes ten to a hundred times as long.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.cuda.profiling_tools import (
    Tool,
    call_command,
    find_tool,
    prepared_call,
    run_tool,
)
from cudamaster.toolchain.devices.cuda.sanitizer_log import SUMMARY, read_faults
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.outputs import Examined, Fault

NAME = "compute-sanitizer"
CHECKS = ("memcheck", "racecheck", "initcheck")
MOST_REPORTS = 20
NO_SANITIZER = (
    "memory and races were not checked on the GPU: there is no compute-sanitizer (it comes with the CUDA "
    "toolkit; or pip install 'nvidia-cuda-sanitizer-api>=13.5', as the wheels of 13.0 start nothing; or set "
    "CUDAMASTER_COMPUTE_SANITIZER to one)"
)


def sanitize(
    build: Build,
    arguments: Arguments,
    gpu: str,
    *,
    confined: bool = True,
    checks: Sequence[str] = CHECKS,
    find: Callable[[], Tool | None] = lambda: find_tool(NAME),
) -> Examined:
    """Call the entry once under each of `checks` on the GPU of this UUID, in a process that is `confined`."""
    try:
        tool = find()
    except EnvironmentLacks as lacking:
        return Examined((), (), str(lacking))
    if tool is None:
        return Examined((), (), NO_SANITIZER)
    ran: list[str] = []
    faults: list[Fault] = []
    with prepared_call(build, arguments, confined=confined) as folder:
        for check in checks:
            log = _checked(tool, check, folder, gpu)
            if SUMMARY not in log:
                return Examined(tuple(ran), tuple(faults), _why_not(check, log))
            ran.append(check)
            faults += read_faults(log, build.source.filename)
    return Examined(tuple(ran), tuple(faults))


def _checked(tool: Tool, check: str, folder: Path, gpu: str) -> str:
    """What the tool wrote, apart from what the call prints."""
    log = folder / f"{check}.log"
    command = [
        str(tool.program), "--tool", check, "--target-processes", "application-only",
        "--show-backtrace", "no", "--print-limit", str(MOST_REPORTS), "--log-file", str(log),
        *call_command(folder),
    ]  # fmt: skip
    result = run_tool(command, folder, gpu)
    if result.timed_out:
        return f"it took longer than {result.seconds:.0f} s"
    return log.read_text(errors="replace") if log.is_file() else result.output


def _why_not(check: str, log: str) -> str:
    lines = [line.strip("= ") for line in log.splitlines() if line.strip("= ")]
    errors = [line for line in lines if line.startswith("Error")] or lines[-1:]
    return f"{NAME} {check} did not run to its end: {errors[0] if errors else 'it said nothing'}"
