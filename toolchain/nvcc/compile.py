"""A kernel's way through nvcc: gate, flags, cache, one bounded compile, and a `Build` either way."""

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from cudamaster.toolchain.build import Build, Diagnostic
from cudamaster.toolchain.cache import held, private_folder, require_room
from cudamaster.toolchain.elf import exported_functions
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.confinement import compiler_confinement
from cudamaster.toolchain.nvcc.diagnostics import parse_diagnostics
from cudamaster.toolchain.nvcc.driver_entries import add_answers, answers_fingerprint
from cudamaster.toolchain.nvcc.finder import Toolchain
from cudamaster.toolchain.nvcc.flags import ForbiddenFlag, compile_command, requested_flags
from cudamaster.toolchain.nvcc.libraries import Library, find_libraries
from cudamaster.toolchain.nvcc.resources import parse_resources
from cudamaster.toolchain.nvcc.source_gate import source_gate
from cudamaster.toolchain.nvcc.store import FILES, build_key, load_build, store_build
from cudamaster.toolchain.process import MIB, ProcessLimits, ProcessResult, run_bounded
from cudamaster.toolchain.stages import note

LIMITS = ProcessLimits(seconds=240.0, memory_bytes=4 << 30, file_bytes=64 * MIB, processor_seconds=60.0)
"""Beside other work a compile takes longer, and no more of a processor."""
ROOM_BYTES = LIMITS.file_bytes
"""Free in the cache when a compile starts; most need a quarter."""
NO_ROOM = re.compile(r"No space left on device|Disk quota exceeded")
FILENAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\.cu")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
OUT_OF_MEMORY = re.compile(
    r"out of memory|bad_alloc|[Cc]annot allocate|memory exhausted|failed to map segment"
)
FILE_TOO_LARGE = re.compile(r"File size limit exceeded|File too large|SIGXFSZ")


def compile_kernel(
    source: KernelSource, architecture: str, toolchain: Toolchain, limits: ProcessLimits | None = None
) -> Build:
    """Compile `source` for `architecture` (such as `sm_90a`), or find the build that was made of it before.

    A source that is refused, does not compile, or takes more time or memory than `limits` (`LIMITS` where
    none are given) is a `Build` without a library. Equal sources are compiled once, however many threads and
    processes ask at a time. Raises EnvironmentLacks where the cache has no room, a vendor library of `source`
    is missing, or nvcc makes nothing.
    """
    libraries = find_libraries(source.libraries, toolchain)
    refused = _refusal(source)
    if refused is not None:
        job = _Job(source, build_key(source, architecture, (), ""), architecture, (), toolchain, libraries)
        return job.build((refused,), str(refused), 0.0)
    flags = requested_flags(source.text)
    linked = "".join(f", {library.title} {library.version}" for library in libraries)
    linked += answers_fingerprint(source.text)
    key = build_key(source, architecture, flags, toolchain.fingerprint + linked)
    if stored := load_build(key, source):
        return stored
    with held(key):
        job = _Job(source, key, architecture, flags, toolchain, libraries)
        return load_build(key, source) or _compile(job, limits or LIMITS)


class _Job(NamedTuple):
    source: KernelSource
    key: str
    architecture: str
    flags: tuple[str, ...]
    toolchain: Toolchain
    libraries: tuple[Library, ...]

    def build(self, diagnostics: tuple[Diagnostic, ...], log: str, seconds: float) -> Build:
        """What is known before it is known whether there is a library."""
        return Build(
            source=self.source, key=self.key, architecture=self.architecture, library=None, ptx=None,
            host_object=None, resources=parse_resources(log), diagnostics=diagnostics, log=log,
            seconds=seconds, cached=False,
        )  # fmt: skip


def _refusal(source: KernelSource) -> Diagnostic | None:
    """Why the compiler is not even asked."""
    if not FILENAME.fullmatch(source.filename):
        return Diagnostic("error", f"{source.filename!r} is no plain file name that ends in .cu", None)
    if not IDENTIFIER.fullmatch(source.entry):
        return Diagnostic("error", f"{source.entry!r} is no C name", None, source.filename)
    try:
        requested_flags(source.text)
    except ForbiddenFlag as forbidden:
        return Diagnostic("error", str(forbidden), forbidden.line, source.filename)
    return source_gate(source)


def _compile(job: _Job, limits: ProcessLimits) -> Build:
    source = job.source
    with private_folder() as folder:
        require_room(folder, ROOM_BYTES)
        (folder / source.filename).write_text(source.text)
        (folder / "exports").write_text(f"{{ global: {source.entry}; local: *; }};\n")
        links = add_answers(source.text, folder)
        links += [flag for library in job.libraries for flag in library.flags()]
        command = compile_command(job.toolchain, job.architecture, job.flags, Path(source.filename), links)
        places = [place for library in job.libraries for place in (library.include_dir, library.file.parent)]
        environment = _environment(folder, job.toolchain)
        result = run_bounded(
            command,
            folder=folder,
            environment=environment,
            limits=limits,
            confinement=compiler_confinement(job.toolchain, folder, places),
        )
        if not result.ok and NO_ROOM.search(result.output):
            _fill_room(folder)
        ptx = _readable_ptx(folder, source)
        note("nvcc", result.processor_seconds)
        log = result.output.replace(f"{folder}/", "")
        build = job.build(parse_diagnostics(log, source.filename, ptx), log, result.seconds)
        return _finished(build, result, folder, ptx, limits)


def _fill_room(folder: Path) -> None:
    """Raises OSError where there really is no room: a source can make the compiler say so of itself."""
    with (folder / "room").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, ROOM_BYTES)
    (folder / "room").unlink()


def _finished(build: Build, result: ProcessResult, folder: Path, ptx: str, limits: ProcessLimits) -> Build:
    """Keep a build that says something lasting about its source, so not one that ran into a limit.

    That comes first then: what the compiler says of a lack of memory does not say whose limit it was.
    """
    if limit := _limit_reached(result, limits):
        told = _with_error(build, limit)
        return replace(told, diagnostics=(told.diagnostics[-1], *build.diagnostics))
    if not result.ok:
        silent = not any(d.severity == "error" for d in build.diagnostics)
        return store_build(_with_error(build, _last_words(build.log, result)) if silent else build, folder)
    if not (folder / FILES["library"]).is_file():
        raise EnvironmentLacks(
            "nvcc ended well and made no library: is it the one that 'cudamaster doctor' names?"
        )
    if build.source.entry not in exported_functions(folder / FILES["library"]):
        missing = f'the source defines no extern "C" function {build.source.entry!r} to call'
        return store_build(_with_error(build, missing), folder)
    (folder / FILES["ptx"]).write_text(ptx)
    (folder / f"{_stem(build.source)}.o").rename(folder / FILES["host_object"])
    return store_build(replace(build, library=folder / FILES["library"]), folder)


def _limit_reached(result: ProcessResult, limits: ProcessLimits) -> str | None:
    if result.overran_processor:
        return f"the compile took more than {limits.processor_seconds:g} s of a processor and was stopped"
    if result.timed_out:
        return f"the compile took longer than {limits.seconds:g} s and was stopped"
    if not result.ok and OUT_OF_MEMORY.search(result.output):
        return f"the compile needed more than {limits.memory_bytes >> 20} MiB of memory and was stopped"
    if not result.ok and FILE_TOO_LARGE.search(result.output):
        return f"the compile wrote a file of more than {limits.file_bytes >> 20} MiB and was stopped"
    if result.signal_name:
        return f"the compiler died of {result.signal_name}"
    return None


def _last_words(log: str, result: ProcessResult) -> str:
    lines = [line for line in log.splitlines() if line.strip()]
    return lines[-1].strip() if lines else f"nvcc ended with {result.exit_code} and said nothing"


def _with_error(build: Build, message: str) -> Build:
    error = Diagnostic("error", message, None, build.source.filename)
    return replace(build, diagnostics=(*build.diagnostics, error), log=f"{build.log}\n{error}".strip())


def _readable_ptx(folder: Path, source: KernelSource) -> str:
    """The PTX without the private folder's name: equal kernels, equal PTX. Empty where none was made."""
    kept = folder / f"{_stem(source)}.ptx"
    return kept.read_text(errors="replace").replace(f"{folder}/", "") if kept.is_file() else ""


def _stem(source: KernelSource) -> str:
    return source.filename.removesuffix(".cu")


def _environment(folder: Path, toolchain: Toolchain) -> dict[str, str]:
    """All that the compiler may know of this process's environment: nothing but where its programs are."""
    places = [str(toolchain.host_compiler.parent), "/usr/bin", "/bin"]
    return {
        "PATH": ":".join(dict.fromkeys(places)),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LC_ALL": "C",
    }
