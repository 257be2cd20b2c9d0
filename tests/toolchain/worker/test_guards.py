"""Systems that lack what keeps kernels apart, made by a filter that denies the calls for it."""

import ctypes
import errno
import json
import platform
import struct
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from cudamaster.toolchain.worker import syscalls
from cudamaster.toolchain.worker.guards import GUARDS, missing_guards
from cudamaster.toolchain.worker.hardening import FILTER, LANDLOCK, NAMESPACES
from cudamaster.toolchain.worker.landlock import CREATE_RULESET

SECCOMP = getattr(syscalls.SECCOMP, platform.machine())
UNSHARE = getattr(syscalls.DENIED["the kernel's wide doors"]["unshare"], platform.machine())


def deny(calls: list[int]) -> None:
    """In this process, and all that it starts, these calls fail with EPERM."""
    program = b"".join(
        struct.pack("<HBBI", *instruction)
        for instruction in (
            (0x20, 0, 0, 0),
            *(step for call in calls for step in ((0x15, 0, 1, call), (0x06, 0, 0, 0x50000 | errno.EPERM))),
            (0x06, 0, 0, 0x7FFF0000),
        )
    )
    buffer = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(
        struct.pack("@HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    )
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, *map(ctypes.c_ulong, (1, 0, 0, 0))) == 0
    assert libc.syscall(SECCOMP, 1, 0, header) == 0


def on_a_system_without(calls: list[int], script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        preexec_fn=lambda: deny(calls),
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(path for path in sys.path if path), **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


NAMING = "from cudamaster.toolchain.worker.guards import *; print(*missing_guards(), sep=',')"


@pytest.mark.parametrize(
    ("call", "guard"), [(UNSHARE, NAMESPACES), (CREATE_RULESET, LANDLOCK), (SECCOMP, FILTER)]
)
def test_what_a_system_lacks_is_named(call: int, guard: str) -> None:
    lacking = on_a_system_without([call], NAMING)
    named = lacking.stdout.strip().split(",")
    assert set(named) - {""} == {guard, *missing_guards()}, lacking.stderr
    assert set(named) <= {"", *GUARDS}


STARTING = f"""
    import json, sys
    sys.path.insert(0, {str(Path(__file__).parent)!r})
    from cudamaster.toolchain.errors import EnvironmentLacks
    from cudamaster.toolchain.worker.hardening import WorkerLimits
    from cudamaster.toolchain.worker.starter import WorkerStarter
    starter = WorkerStarter("misbehaving")
    try:
        workers = [starter.start(WorkerLimits(1 << 30, 1 << 30)) for _ in range(2)]
        done = [dict(workers[1].call({{"do": "refused", "with": list(what)}}, seconds=20)["answer"])
                for what in (["connect"], ["write_file", "/tmp/cudamaster-new"], ["raise_limits"])]
        print(json.dumps(done))
    except EnvironmentLacks as lack:
        print(json.dumps(str(lack)))
    starter.close()
    """


def told(calls: list[int], **variables: str) -> tuple[Any, str]:
    started = on_a_system_without(calls, STARTING, **variables)
    assert started.returncode == 0, started.stderr
    return json.loads(started.stdout), started.stderr


def test_without_a_filter_no_kernel_runs_and_one_sentence_says_why(tmp_path: Path) -> None:
    why, _ = told([SECCOMP], CUDAMASTER_CACHE_DIR=str(tmp_path))
    assert why == (
        "this machine cannot keep kernels' host code from its other processes and files (the system-call "
        "filter was refused: Operation not permitted); run it where seccomp filters are allowed, or set "
        "CUDAMASTER_UNFILTERED=1 to run kernels that you trust"
    )


def test_trusted_kernels_run_without_a_filter_and_the_other_guards_stay(tmp_path: Path) -> None:
    done, said = told([SECCOMP], CUDAMASTER_CACHE_DIR=str(tmp_path), CUDAMASTER_UNFILTERED="1")
    network, writing, _ = (answer["error"] for answer in done)
    assert network is None or NAMESPACES not in missing_guards()
    assert writing is not None
    assert said == (
        "kernels run without a system-call filter (the system-call filter was refused: Operation not "
        "permitted), as CUDAMASTER_UNFILTERED allows\n"
    )


def test_without_namespaces_and_landlock_the_filter_still_denies(tmp_path: Path) -> None:
    done, said = told([UNSHARE, CREATE_RULESET], CUDAMASTER_CACHE_DIR=str(tmp_path))
    assert done[0] == done[1] == {"error": "Operation not permitted"}
    assert done[2]["error"] is not None
    assert said == ""
