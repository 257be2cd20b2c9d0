"""The system-call filter of a worker: built here as a classic BPF program, installed for good.

A call in the filter's list fails with EPERM or ENOSYS as if the system lacked it; everything else passes. A
second filter, for processes that run nothing but a candidate's code, ends who would start a process, or makes
another call that is denied.
Classic BPF and `struct seccomp_data`: Linux, Documentation/userspace-api/seccomp_filter.rst.
"""

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Collection, Iterator, Sequence

from cudamaster.toolchain.worker import syscalls
from cudamaster.toolchain.worker.syscalls import Numbers

AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_CALLS = 0x40000000
"""x86-64 numbers from here on belong to the x32 interface, which nothing here uses."""
LOAD_WORD, JUMP_EQUAL, JUMP_GREATER_EQUAL, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL_PROCESS, FAIL_WITH, TRAP = 0x7FFF0000, 0x80000000, 0x00050000, 0x00030000
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16
CLONE_THREAD = 0x00010000
READ_WRITE = 0o2
"""open(2) flag O_RDWR."""
WRITING = 0o1 | READ_WRITE | 0o100 | 0o1000 | 0o2000
"""open(2) flags O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND."""
FORBIDDEN_PRCTL = {"PR_SET_PDEATHSIG": 1, "PR_SET_DUMPABLE": 4, "PR_SET_SECCOMP": 22, "PR_SET_MM": 35}
PR_SET_NO_NEW_PRIVS = 38
SET_MODE_FILTER, SYNCHRONISE_THREADS = 1, 1

Instruction = tuple[int, int, int, int]
"""Code, jump where true, jump where false, constant: `struct sock_filter`."""


class NoFilter(OSError):
    """The kernel refused the filter, or this machine's architecture is not known here."""


def filter_program(
    machine: str, own_process: int, *, devices: bool = False, lifted: Collection[str] = ()
) -> bytes:
    """The filter for `machine` (`x86_64` or `aarch64`): only `own_process` may be sent signals.

    With `devices`, what exists may be opened to read and write, as a driver opens its device files: which
    paths that can be is not the filter's to say. What is `lifted`, calls or groups of them by name, is not
    denied; with the group FILES all may be opened to write. Raises NoFilter for another machine.
    """
    writing = WRITING & ~READ_WRITE if devices else WRITING
    denied = [
        numbers
        for group, calls in syscalls.DENIED.items()
        for name, numbers in calls.items()
        if not {group, name}.intersection(lifted)
    ]
    return _packed(machine, _rules(machine, own_process, 0 if syscalls.FILES in lifted else writing, denied))


def starting_program(machine: str) -> bytes:
    """The filter that ends who starts a process or a program, and stops who makes another denied call.

    Raises NoFilter for another machine.
    """
    return _packed(machine, _ending(machine))


def _packed(machine: str, rules: Iterator[Instruction]) -> bytes:
    if machine not in AUDIT_ARCHITECTURES:
        raise NoFilter(f"no system-call filter is known for {machine}")
    program = [
        (LOAD_WORD, 0, 0, ARCHITECTURE_AT),
        (JUMP_EQUAL, 1, 0, AUDIT_ARCHITECTURES[machine]),
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD_WORD, 0, 0, NUMBER_AT),
        *rules,
        (RETURN, 0, 0, ALLOW),
    ]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)


def forbid_new_privileges() -> None:
    """No program this process starts may have more rights than it; the kernel asks for it before a filter."""
    if _prctl(PR_SET_NO_NEW_PRIVS, 1) != 0:
        raise NoFilter(ctypes.get_errno(), "PR_SET_NO_NEW_PRIVS was refused")


def install_filter(*, devices: bool = False, lifted: Collection[str] = ()) -> None:
    """Filter the calls of all this process's threads and of all they start, until they end.

    Raises NoFilter.
    """
    _install(filter_program(platform.machine(), os.getpid(), devices=devices, lifted=lifted))


def end_who_starts_processes() -> None:
    """From now on this process ends with SIGSYS where it starts another, a program, or makes a denied call.

    Only the latter can be caught, which does not let it pass. Raises NoFilter.
    """
    forbid_new_privileges()
    _install(starting_program(platform.machine()))


def _install(program: bytes) -> None:
    buffer = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(
        struct.pack("@HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    )
    libc, number = ctypes.CDLL(None, use_errno=True), getattr(syscalls.SECCOMP, platform.machine())
    if libc.syscall(number, SET_MODE_FILTER, SYNCHRONISE_THREADS, header) != 0:
        code = ctypes.get_errno()
        raise NoFilter(code, f"the system-call filter was refused: {os.strerror(code)}")


def _prctl(option: int, value: int) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    unsigned = ctypes.c_ulong
    return int(libc.prctl(option, unsigned(value), unsigned(0), unsigned(0), unsigned(0)))


def _starting(machine: str, end: Instruction) -> Iterator[Instruction]:
    """What becomes of calls that start a process or a program; threads may be started."""
    for numbers in syscalls.STARTING.values():
        yield from _for_call(machine, numbers, [end])
    thread = [_argument(0), (JUMP_ANY_BIT, 0, 1, CLONE_THREAD), (RETURN, 0, 0, ALLOW), end]
    yield from _for_call(machine, syscalls.CLONE, thread)


def _ending(machine: str) -> Iterator[Instruction]:
    """What becomes of calls that no honest code makes in a process that runs nothing but a candidate's."""
    trap = (RETURN, 0, 0, TRAP)
    yield from _starting(machine, (RETURN, 0, 0, KILL_PROCESS))
    for group in syscalls.DENIED.values():
        for name, numbers in group.items():
            if name not in syscalls.NEEDED_TO_HARDEN:
                yield from _for_call(machine, numbers, [trap])
    for numbers, flags in ((syscalls.OPEN, 1), (syscalls.OPENAT, 2)):
        writing = [_argument(flags), (JUMP_ANY_BIT, 0, 1, WRITING), trap, (RETURN, 0, 0, ALLOW)]
        yield from _for_call(machine, numbers, writing)


def _rules(machine: str, own_process: int, writing: int, denied: Sequence[Numbers]) -> Iterator[Instruction]:
    if machine == "x86_64":
        yield (JUMP_GREATER_EQUAL, 0, 1, X32_CALLS)
        yield _fail(errno.EPERM)
    yield from _starting(machine, _fail(errno.EPERM))
    for numbers in denied:
        yield from _for_call(machine, numbers, [_fail(errno.EPERM)])
    for numbers in syscalls.ABSENT.values():
        yield from _for_call(machine, numbers, [_fail(errno.ENOSYS)])
    yield from _for_call(machine, syscalls.OPEN, _fail_if(JUMP_ANY_BIT, 1, writing))
    yield from _for_call(machine, syscalls.OPENAT, _fail_if(JUMP_ANY_BIT, 2, writing))
    yield from _for_call(machine, syscalls.KILL, _allow_if(JUMP_EQUAL, 0, own_process))
    yield from _for_call(machine, syscalls.TGKILL, _allow_if(JUMP_EQUAL, 0, own_process))
    prctl = [i for option in FORBIDDEN_PRCTL.values() for i in _fail_if(JUMP_EQUAL, 0, option)[:-1]]
    yield from _for_call(machine, syscalls.PRCTL, [*prctl, (RETURN, 0, 0, ALLOW)])
    yield from _for_call(machine, syscalls.PRLIMIT64, _fail_unless_null(2))


def _for_call(machine: str, numbers: Numbers, body: list[Instruction]) -> list[Instruction]:
    """`body`, which returns, reached by the call of this number only."""
    number = getattr(numbers, machine)
    return [] if number is None else [(JUMP_EQUAL, 0, len(body), number), *body]


def _fail(code: int) -> Instruction:
    return (RETURN, 0, 0, FAIL_WITH | code)


def _argument(index: int, high: bool = False) -> Instruction:
    return (LOAD_WORD, 0, 0, ARGUMENTS_AT + 8 * index + 4 * high)


def _allow_if(test: int, argument: int, value: int) -> list[Instruction]:
    return [_argument(argument), (test, 0, 1, value), (RETURN, 0, 0, ALLOW), _fail(errno.EPERM)]


def _fail_if(test: int, argument: int, value: int) -> list[Instruction]:
    return [_argument(argument), (test, 0, 1, value), _fail(errno.EPERM), (RETURN, 0, 0, ALLOW)]


def _fail_unless_null(argument: int) -> list[Instruction]:
    return [
        _argument(argument),
        (JUMP_EQUAL, 0, 3, 0),
        _argument(argument, high=True),
        (JUMP_EQUAL, 0, 1, 0),
        (RETURN, 0, 0, ALLOW),
        _fail(errno.EPERM),
    ]
