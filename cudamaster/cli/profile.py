"""`cudamaster profile`: what a kernel does on the device."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cudamaster.cli.question import Question, put_by

if TYPE_CHECKING:
    from cudamaster.report.document import Json
    from cudamaster.toolchain.build import Build
    from cudamaster.toolchain.outputs import RunFailure
    from cudamaster.toolchain.profile import Profile
    from mskernelbench.operator import Workload

NO_DISASSEMBLER = "machine code was not read: there is no nvdisasm (pip install -e '.[sass]' in the clone)"


@click.command("profile")
@put_by()
def command(context: click.Context, question: Question) -> int:
    """Show what a kernel does on the device: metrics, bound, hot source lines.

    FILE is CUDA C++ that defines the operator's entry. Exits with 1 when the kernel cannot be built or run.
    """
    from cudamaster.cli.judging import judged

    with judged(context, question) as (referee, source):
        workload = referee.heaviest()
        found = referee.profile(source, question.entry, workload)
        profile = placed_in(question.file, with_machine_code(found, referee.built(source, question.entry)))
        about = {
            "operator": referee.operator.name,
            "precision": str(referee.precision),
            "device": referee.device.name,
            "workload": workload_document(workload),
        }
    return tell(profile, about, source, referee.device.spec.sm_count, as_json=question.as_json)


def with_machine_code(profile: "Profile | RunFailure", build: "Build | None") -> "Profile | RunFailure":
    """The profile with its kernels' machine code counted: nobody but a reader asks for it."""
    from cudamaster.toolchain.nvcc.finder import find_toolchain
    from cudamaster.toolchain.nvcc.machine_code import with_machine_mixes
    from cudamaster.toolchain.outputs import RunFailure

    if isinstance(profile, RunFailure) or build is None:
        return profile
    return with_machine_mixes(profile, build, find_toolchain())


def placed_in(file: Path, profile: "Profile | RunFailure") -> "Profile | RunFailure":
    """A failure with the compiler's places in the user's file, by its own name."""
    from dataclasses import replace

    from cudamaster.toolchain.outputs import RunFailure

    if isinstance(profile, RunFailure):
        return replace(profile, reason=profile.reason.replace("kernel.cu:", f"{file}:"))
    return profile


def tell(profile: "Profile | RunFailure", about: "Json", source: str, sm_count: int, *, as_json: bool) -> int:
    """Write the profile to stdout; returns the exit code."""
    from cudamaster.errors import DONE, REFUSED
    from cudamaster.report.document import to_text
    from cudamaster.toolchain.outputs import RunFailure

    if as_json:
        click.echo(to_text(document_of(profile, about)))
    elif isinstance(profile, RunFailure):
        click.echo(f"{profile.kind}: {profile.reason}")
    else:
        show(profile, about["workload"], source, sm_count)
    return REFUSED if isinstance(profile, RunFailure) else DONE


def document_of(profile: "Profile | RunFailure", about: "Json") -> "Json":
    """`cudamaster.profile/1`; of a kernel that cannot be built or run, why not."""
    from cudamaster.report.profile import SCHEMA, profile_document
    from cudamaster.toolchain.outputs import RunFailure

    if isinstance(profile, RunFailure):
        failed = {"status": str(profile.kind), "reason": profile.reason, "kernels": []}
        return {"schema": SCHEMA} | about | failed
    return profile_document(profile, unit_of, about)


def workload_document(workload: "Workload") -> "Json":
    """Which workload the kernel ran on."""
    pattern = {"pattern": workload.pattern} if workload.pattern else {}
    return {"set": workload.set, "shape": dict(workload.shape)} | pattern


def show(profile: "Profile", workload: "Json", source: str, sm_count: int) -> None:
    """Print what ran, then each kernel: heading, metrics, hot lines."""
    from cudamaster.cli import console
    from cudamaster.report.figures import shape_text
    from cudamaster.report.profile import hot_line_table, kernel_heading, metric_table, mix_table, what_ran

    stdout = console.results()
    stdout.print(f"{profile.time_ms:.4g} ms {profile.clock}, {what_ran(profile)}")
    where = shape_text(workload["shape"], workload.get("pattern"))
    stdout.print(
        f"on {where} ({workload['set']} set); correctness was not checked: use 'cudamaster evaluate'"
    )
    for words in (f"counters by {profile.counted_by}" if profile.counted_by else "", profile.note):
        if words:
            stdout.print(words)
    if not any(kernel.machine_mix for kernel in profile.kernels):
        stdout.print(NO_DISASSEMBLER)
    for kernel in profile.kernels:
        stdout.print("\n".join(kernel_heading(kernel, sm_count, profile.clock)))
        if kernel.metrics:
            stdout.print(metric_table(kernel, section_and_unit))
        if kernel.instruction_mix:
            stdout.print(mix_table(kernel))
        if kernel.hot_lines:
            stdout.print(hot_line_table(kernel, source))


def unit_of(name: str) -> str:
    """A metric's declared unit; empty for one that no declaration names."""
    from cudamaster.toolchain.metrics import METRICS

    return METRICS[name].unit if name in METRICS else ""


def section_and_unit(name: str) -> tuple[str, str]:
    """A metric's declared section and unit; both empty for one that no declaration names."""
    from cudamaster.toolchain.metrics import METRICS

    return (METRICS[name].section, METRICS[name].unit) if name in METRICS else ("", "")
