"""What a worker's process gives up before it loads a candidate, and what it is allowed to use."""

import ctypes
import os
import resource
import signal
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from cudamaster.toolchain.worker.landlock import allow_reading_only
from cudamaster.toolchain.worker.seccomp import forbid_new_privileges, install_filter
from cudamaster.toolchain.worker.syscalls import FILES, MEMORY, OF_MEMORY_FILES

PR_SET_PDEATHSIG = 1
CLONE_NEWUSER, CLONE_NEWNET, CLONE_NEWIPC = 0x10000000, 0x40000000, 0x08000000
SHARED = "shared"
"""A zygote's argument that leaves it and its workers in the namespaces of who started it."""
OPEN_FILES = 64
OPEN_DEVICE_FILES = 1024
"""Of a process that uses a GPU: its driver opens a device file dozens of times."""
KEPT_VARIABLES = frozenset({"CUDAMASTER_CACHE_DIR", "CUDAMASTER_CPU"})
"""Where compiled things are read from, and which; every other variable is removed."""
SYSTEM_READABLE = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/null", "/dev/urandom", "/proc/self",
                   "/sys/devices/system/cpu")  # fmt: skip
"""What the C library, the loader and the interpreter still read while a candidate runs."""
OWN_THREADS = "/proc/self/task"
"""Where a process names its threads: NVIDIA's driver does (570 and later), and fails where it may not."""


NAMESPACES, MEMORY_FILES, LANDLOCK, FILTER = (
    "own namespaces", "the ban on files in memory", "Landlock", "the system-call filter"
)  # fmt: skip
"""What of a worker's hardening can be left out where a driver does not work with it, or a system lacks it."""
UNFILTERED = "CUDAMASTER_UNFILTERED"
"""The variable that, where it is set, lets trusted kernels run without the system-call filter."""


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """What a worker may use beyond what it starts with."""

    memory_bytes: int = 4 << 30
    """Private memory: what the candidate's host code and its device allocations take."""
    shared_bytes: int = 8 << 30
    """Address space for the arguments' shared memory."""
    processor_seconds: int = 3600
    """Over its whole life; a backstop for when nobody is left to watch the clock."""
    readable: tuple[str, ...] = ()
    """Folders and files it may read besides the system's and the interpreter's own."""
    devices: tuple[str, ...] = ()
    """Device files it may go on opening and controlling. With some, its address space has no limit, since a
    driver maps a GPU's memory into it, nor have pages that are locked; and it may name its threads."""
    left_out: tuple[str, ...] = ()
    """Of `NAMESPACES`, `MEMORY_FILES`, `LANDLOCK`, `FILTER`."""

    def as_json(self) -> Mapping[str, object]:
        """For the wire; `from_json` reads it."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: Mapping[str, object]) -> "WorkerLimits":
        """The inverse of `as_json`."""
        memory, shared, processor = (
            int(str(fields[name])) for name in ("memory_bytes", "shared_bytes", "processor_seconds")
        )
        words = (_words(fields[name]) for name in ("readable", "devices", "left_out"))
        return cls(memory, shared, processor, *words)


def may_go_unfiltered() -> bool:
    """Whether kernels are trusted to run without the system-call filter where there is none."""
    return bool(os.environ.get(UNFILTERED))


def _words(found: object) -> tuple[str, ...]:
    assert isinstance(found, list | tuple)
    return tuple(str(word) for word in found)


def isolate_from_network() -> bool:
    """Move this process and its later children to empty network and IPC namespaces, where that is allowed."""
    return int(ctypes.CDLL(None).unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC)) == 0


def follow_parent(parent: int) -> None:
    """Lead an own session and process group, and die when `parent` dies, even if it just did."""
    os.setsid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(1)


def harden(limits: WorkerLimits, interpreter_paths: Sequence[str]) -> None:
    """Give up what no candidate needs; it cannot be had back. Raises OSError where the kernel refuses.

    Memory, files and processor time are limited; no new files, processes, sockets or programs can be made;
    only `interpreter_paths`, the system's libraries and `limits.readable` can be read, where the kernel can
    restrict that.
    """
    for name in os.environ.keys() - KEPT_VARIABLES:
        del os.environ[name]
    _limit_resources(limits)
    forbid_new_privileges()
    readable = (*SYSTEM_READABLE, *interpreter_paths, *limits.readable)
    writable = (*limits.devices, OWN_THREADS) if limits.devices else ()
    if LANDLOCK not in limits.left_out:
        allow_reading_only(map(Path, readable), map(Path, writable))
    if FILTER not in limits.left_out:
        lifted = OF_MEMORY_FILES if MEMORY_FILES in limits.left_out else ()
        install_filter(devices=bool(limits.devices), lifted=lifted)


def confine_watched(readable: Sequence[str], folder: Path, devices: Sequence[str]) -> None:
    """Give up what no call needs that one of NVIDIA's tools watches; raises OSError where the kernel refuses.

    Nothing is read but `readable` and the system's libraries; files are written in `folder` alone. No other
    program or process can be started, no other connection made: the tool has made its own before.
    """
    forbid_new_privileges()
    writable = map(Path, (*devices, OWN_THREADS))
    allow_reading_only(map(Path, (*SYSTEM_READABLE, *readable)), writable, [folder])
    install_filter(devices=True, lifted=(FILES, MEMORY))


def _limit_resources(limits: WorkerLimits) -> None:
    address_space, data = _used_bytes()
    most = {
        resource.RLIMIT_DATA: data + limits.memory_bytes,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: OPEN_DEVICE_FILES if limits.devices else OPEN_FILES,
        resource.RLIMIT_CPU: limits.processor_seconds,
    }
    if MEMORY_FILES not in limits.left_out:
        most[resource.RLIMIT_FSIZE] = 0
    if not limits.devices:
        most[resource.RLIMIT_AS] = address_space + limits.memory_bytes + limits.shared_bytes
        most[resource.RLIMIT_MEMLOCK] = 0
    for name, limit in most.items():
        _, hard = resource.getrlimit(name)
        allowed = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(name, (allowed, allowed))


def _used_bytes() -> tuple[int, int]:
    """Address space and private data of this process now, in bytes."""
    pages = [int(field) for field in Path("/proc/self/statm").read_text().split()]
    return pages[0] * resource.getpagesize(), pages[5] * resource.getpagesize()
