"""The doctor's checks; each looks at one thing and says what it found and how to mend it."""

import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cudamaster.config import API_KEYS, Folders, folders, keys_set, read_config
from cudamaster.errors import BadConfig, FolderUnwritable
from cudamaster.store.atomic import require_writable
from cudamaster.toolchain.errors import ToolchainError

OLDEST_PYTHON = (3, 11)
NCU_ADVICE = "optional: it counts on a real GPU; it comes with the CUDA toolkit as nsight-compute"
SANITIZER_ADVICE = (
    "optional: it looks for faults on a real GPU; it comes with the CUDA toolkit, or pip install "
    "'nvidia-cuda-sanitizer-api>=13.5'"
)
GUARD_ADVICE = {
    "own namespaces": "optional: where user namespaces are allowed, kernels' host code has no network at all",
    "Landlock": "optional: Linux 5.13 or later with Landlock also denies kernels' host code reading files",
    "the system-call filter": "allow seccomp filters; CUDAMASTER_UNFILTERED=1 runs kernels that you trust",
}
KEY_ADVICE = "optional: set one, and language models propose kernels"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at."""

    name: str
    ok: bool
    found: str
    mend: str = ""
    """How to get it; empty where nothing is wrong."""
    needed: bool = True
    """Whether every run needs it."""


def all_checks() -> Iterator[Check]:
    """Every check, each made when it is asked for."""
    where = folders()
    yield check_python()
    yield check_nvcc()
    yield check_llvmlite()
    yield check_guards()
    yield check_virtual_gpu()
    yield check_gpu()
    yield check_tool("ncu", NCU_ADVICE)
    yield check_tool("compute-sanitizer", SANITIZER_ADVICE)
    yield check_vendor_libraries()
    yield check_keys()
    yield check_configuration()
    yield from check_folders(where)


def check_python() -> Check:
    """The interpreter's version."""
    ok = sys.version_info[:2] >= OLDEST_PYTHON
    wanted = ".".join(str(n) for n in OLDEST_PYTHON)
    return Check(
        "Python", ok, f"{platform.python_version()} at {sys.executable}", "" if ok else f"install {wanted}"
    )


def check_nvcc() -> Check:
    """nvcc and the host compiler it drives."""
    from cudamaster.toolchain.nvcc.finder import find_toolchain

    try:
        tools = find_toolchain()
    except ToolchainError as lack:
        return Check("nvcc", ok=False, found="none that works", mend=str(lack))
    host = f"host compiler {tools.host_compiler} {tools.host_version}"
    return Check("nvcc", ok=True, found=f"{tools.version} at {tools.nvcc} (by {tools.found_by}), {host}")


def check_llvmlite() -> Check:
    """The compiler behind the virtual GPU."""
    try:
        import llvmlite
    except ImportError as lack:
        return Check("llvmlite", ok=False, found=str(lack), mend='pip install "llvmlite>=0.50,<0.51"')
    return Check("llvmlite", ok=True, found=str(llvmlite.__version__))


def check_guards() -> Check:
    """What keeps kernels' host code from all else on this machine; the filter is needed, the rest helps."""
    from cudamaster.toolchain.worker.guards import GUARDS, missing_guards
    from cudamaster.toolchain.worker.hardening import FILTER, may_go_unfiltered

    missing = missing_guards()
    found = ", ".join(name for name in GUARDS if name not in missing) or "none"
    needed = FILTER in missing and not may_go_unfiltered()
    mend = "; ".join(GUARD_ADVICE[name] for name in missing)
    return Check("guards", not missing, found, mend, needed=needed)


def check_virtual_gpu() -> Check:
    """A tiny kernel through nvcc, the virtual GPU and back."""
    from cudamaster.cli.self_test import run_tiny_kernel

    try:
        found = run_tiny_kernel("virtual")
    except ToolchainError as lack:
        return Check("virtual GPU", ok=False, found=str(lack), mend="mend the checks above first")
    mend = "" if found.ok else "report this with the output of 'cudamaster doctor --json'"
    return Check("virtual GPU", found.ok, found.sentence, mend)


def check_gpu() -> Check:
    """The real GPUs; a tiny kernel runs on the first, without waiting for who else uses it."""
    from cudamaster.toolchain.catalog import list_devices
    from cudamaster.toolchain.timing import Clock

    real = [device for device in list_devices() if device.clock is Clock.MEASURED]
    usable = [device for device in real if device.lacks is None]
    if not usable:
        lacks = real[0].lacks if real else None
        mend = f"optional: {lacks}" if lacks else ""
        return Check("GPU", False, "none that can be used; times are modelled", mend, needed=False)
    return _tried_gpu(f"{usable[0].name},shared", ", ".join(f"{d.name} {d.title}" for d in usable))


def _tried_gpu(name: str, listed: str) -> Check:
    from cudamaster.cli.self_test import run_tiny_kernel

    try:
        found = run_tiny_kernel(name)
    except ToolchainError as lack:
        return Check("GPU", ok=False, found=listed, mend=str(lack), needed=False)
    mend = "" if found.ok else "report this with the output of 'cudamaster doctor --json'"
    return Check("GPU", found.ok, f"{listed}; {found.sentence}", mend, needed=False)


def check_tool(name: str, advice: str) -> Check:
    """One of NVIDIA's programs that watch a real GPU."""
    from cudamaster.toolchain.devices.cuda.profiling_tools import find_tool

    try:
        tool = find_tool(name)
    except ToolchainError as lack:
        return Check(name, ok=False, found="does not run", mend=str(lack), needed=False)
    if tool is None:
        return Check(name, ok=False, found="not installed", mend=advice, needed=False)
    return Check(name, True, f"{tool.version} at {tool.program} (by {tool.found_by})", needed=False)


def check_vendor_libraries() -> Check:
    """NVIDIA's own libraries, whose times stand beside a kernel's on a real GPU."""
    from cudamaster.toolchain.nvcc.finder import find_toolchain
    from cudamaster.toolchain.nvcc.libraries import installed_libraries, missing_wheels

    try:
        tools = find_toolchain()
    except ToolchainError:
        return Check("vendor libraries", ok=False, found="not looked for without nvcc", needed=False)
    found = ", ".join(f"{library.title} {library.version}" for library in installed_libraries(tools))
    missing = missing_wheels(tools)
    mend = f"optional, for a real GPU: pip install {' '.join(missing)}" if missing else ""
    return Check("vendor libraries", not missing, found or "none installed", mend, needed=False)


def check_keys() -> Check:
    """Which API keys are set, by name."""
    found = keys_set()
    names = ", ".join(found) if found else f"none of {', '.join(API_KEYS)}; the built-in expert proposes"
    return Check("API keys", bool(found), names, "" if found else KEY_ADVICE, needed=False)


def check_configuration() -> Check:
    """The configuration file, where there is one."""
    try:
        file = read_config().file
    except BadConfig as fault:
        return Check("configuration", ok=False, found=str(fault), mend="mend the file, or take it away")
    return Check("configuration", ok=True, found=str(file) if file else "no file, which is fine")


def check_folders(where: Folders) -> Iterator[Check]:
    """The folders that runs write."""
    kinds: tuple[tuple[str, Path, str], ...] = (
        ("cache", where.cache, "set CUDAMASTER_CACHE_DIR to a folder that can be written"),
        ("runs", where.runs, "set CUDAMASTER_RUNS_DIR to a folder that can be written"),
    )
    for name, folder, mend in kinds:
        yield _folder_check(name, folder, mend)


def _folder_check(name: str, folder: Path, mend: str) -> Check:
    try:
        require_writable(folder, name, mend, leave=False)
    except FolderUnwritable as lack:
        return Check(f"{name} folder", ok=False, found=str(lack), mend=mend)
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free / 1e9
    return Check(f"{name} folder", ok=True, found=f"{folder}, {free:.1f} GB free")
