"""The filter's decisions, by running its program on both architectures' calls here."""

import errno
import shutil
import struct
import subprocess

import pytest

from cudamaster.toolchain.worker import syscalls
from cudamaster.toolchain.worker.seccomp import (
    ALLOW,
    AUDIT_ARCHITECTURES,
    FAIL_WITH,
    KILL_PROCESS,
    TRAP,
    NoFilter,
    filter_program,
    starting_program,
)

OWN = 4242
DENIED, ABSENT = FAIL_WITH | errno.EPERM, FAIL_WITH | errno.ENOSYS
MACHINES = sorted(AUDIT_ARCHITECTURES)
READ = {"x86_64": 0, "aarch64": 63}
O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_CLOEXEC = 0, 1, 2, 0o100, 0o2000000


def decision(
    machine: str, number: int, *arguments: int, architecture: int | None = None, devices: bool = False
) -> int:
    """What the kernel would do."""
    program = filter_program(machine, OWN, devices=devices)
    return decided(program, machine, number, *arguments, architecture=architecture)


def decided(code: bytes, machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """`struct seccomp_data` through a classic BPF machine that runs `code`."""
    architecture = AUDIT_ARCHITECTURES[machine] if architecture is None else architecture
    padded = (*arguments, *(0 for _ in range(6 - len(arguments))))
    data = struct.pack("<IIQ6Q", number, architecture, 0, *(a % 2**64 for a in padded))
    program = list(struct.iter_unpack("<HBBI", code))
    at, accumulator = 0, 0
    while True:
        operation, if_true, if_false, constant = program[at]
        at += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, constant)
        elif operation == 0x06:
            return int(constant)
        else:
            holds = {
                0x15: accumulator == constant,
                0x35: accumulator >= constant,
                0x45: accumulator & constant,
            }[operation]
            at += if_true if holds else if_false


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_those_of_the_systems_own_headers(machine: str) -> None:
    compiler = f"{machine}-linux-gnu-gcc"
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    command = [compiler, "-E", "-dM", "-include", "asm/unistd.h", "-x", "c", "/dev/null"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    defined = dict(line.split(maxsplit=2)[1:] for line in shown.splitlines() if " __NR" in line)
    for name, numbers in named_calls().items():
        found = defined.get(f"__NR_{name}", "")
        number = defined.get(found, found)  # __NR_truncate is __NR3264_truncate there
        assert number in ("", str(getattr(numbers, machine))), name
        assert number or getattr(numbers, machine) in (None, *range(424, 1000)), (
            name
        )  # newer than the headers


def named_calls() -> dict[str, syscalls.Numbers]:
    lists = (syscalls.STARTING, *syscalls.DENIED.values(), syscalls.ABSENT)
    return {name: numbers for calls in lists for name, numbers in calls.items()} | {
        name.lower(): getattr(syscalls, name)
        for name in ("CLONE", "OPEN", "OPENAT", "KILL", "TGKILL", "PRCTL", "PRLIMIT64", "SECCOMP")
    }


@pytest.mark.parametrize("machine", MACHINES)
def test_every_denied_call_fails_and_ordinary_ones_pass(machine: str) -> None:
    for group in syscalls.DENIED.values():
        for name, numbers in group.items():
            number = getattr(numbers, machine)
            assert number is None or decision(machine, number) == DENIED, name
    for numbers in syscalls.ABSENT.values():
        assert decision(machine, getattr(numbers, machine)) == ABSENT
    assert decision(machine, READ[machine]) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_a_guest_that_starts_a_process_or_a_program_is_ended(machine: str) -> None:
    starting, clone = starting_program(machine), getattr(syscalls.CLONE, machine)
    for numbers in syscalls.STARTING.values():
        number = getattr(numbers, machine)
        if number is not None:
            assert decided(starting, machine, number) == KILL_PROCESS
            assert decision(machine, number) == DENIED
    assert decided(starting, machine, clone, 17) == KILL_PROCESS
    assert decided(starting, machine, clone, 0x003D0F00) == ALLOW  # what pthread_create asks for
    assert decided(starting, machine, READ[machine]) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_a_guest_that_makes_another_denied_call_is_stopped_once_it_is_hardened(machine: str) -> None:
    starting, openat = starting_program(machine), getattr(syscalls.OPENAT, machine)
    for group in syscalls.DENIED.values():
        for name, numbers in group.items():
            number = getattr(numbers, machine)
            if number is not None:
                due = ALLOW if name in syscalls.NEEDED_TO_HARDEN else TRAP
                assert decided(starting, machine, number) == due
                assert name in str(syscalls.denied_name(number, machine))
    assert decided(starting, machine, openat, -100, 0, O_CREAT | O_RDWR) == TRAP
    assert decided(starting, machine, openat, -100, 0, O_RDONLY | O_CLOEXEC) == ALLOW
    assert "a file to write to it" in str(syscalls.denied_name(openat, machine))
    assert syscalls.denied_name(READ[machine], machine) is None


@pytest.mark.parametrize("machine", MACHINES)
def test_arguments_decide_where_a_call_has_honest_uses(machine: str) -> None:
    clone, openat = getattr(syscalls.CLONE, machine), getattr(syscalls.OPENAT, machine)
    assert decision(machine, clone, 0x003D0F00) == ALLOW  # what pthread_create asks for
    assert decision(machine, clone, 17) == DENIED  # what fork asks for
    assert decision(machine, openat, -100, 0, O_RDONLY | O_CLOEXEC) == ALLOW
    for flags in (O_WRONLY, O_RDWR, O_CREAT | O_RDWR):
        assert decision(machine, openat, -100, 0, flags) == DENIED
    for numbers in (syscalls.KILL, syscalls.TGKILL):
        number = getattr(numbers, machine)
        assert decision(machine, number, OWN, 6) == ALLOW
        for other in (0, -1, 1, -OWN):
            assert decision(machine, number, other, 9) == DENIED
    prctl, prlimit = getattr(syscalls.PRCTL, machine), getattr(syscalls.PRLIMIT64, machine)
    assert decision(machine, prctl, 15) == ALLOW  # PR_SET_NAME
    assert [decision(machine, prctl, option) for option in (1, 4, 22, 35)] == [DENIED] * 4
    assert decision(machine, prlimit, 0, 7, 0) == ALLOW
    assert decision(machine, prlimit, 0, 7, 1 << 40) == DENIED


@pytest.mark.parametrize("machine", MACHINES)
def test_what_exists_may_be_opened_to_write_where_devices_are_used_and_nothing_created(machine: str) -> None:
    opening = getattr(syscalls.OPENAT, machine)
    assert decision(machine, opening, 0, 0, O_RDWR | O_CLOEXEC) == DENIED
    assert decision(machine, opening, 0, 0, O_RDWR | O_CLOEXEC, devices=True) == ALLOW
    for flags in (O_WRONLY, O_RDWR | O_CREAT):
        assert decision(machine, opening, 0, 0, flags, devices=True) == DENIED


def test_other_interfaces_of_the_same_kernel_are_closed() -> None:
    assert decision("x86_64", 0x40000000 | 59) == DENIED  # x32
    assert decision("x86_64", 11, architecture=0x40000003) == KILL_PROCESS  # i386
    assert decision("x86_64", 2, 0, O_WRONLY) == DENIED
    assert decision("x86_64", 2, 0, O_RDONLY) == ALLOW


def test_an_unknown_machine_is_refused_not_guessed() -> None:
    with pytest.raises(NoFilter, match="riscv64"):
        filter_program("riscv64", OWN)
