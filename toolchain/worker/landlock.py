"""Restricts which files a process can see at all, where the kernel has Landlock (Linux 5.13 and later).

Interface: Linux, Documentation/userspace-api/landlock.rst.
"""

import ctypes
import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_FLAG, PATH_BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIRECTORY, TRUNCATE, IOCTL = (
    1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15,
)  # fmt: skip
REMOVE_DIRECTORY, REMOVE_FILE, MAKE_DIRECTORY, MAKE_FILE, MAKE_LINK, MOVE = (
    1 << 4, 1 << 5, 1 << 7, 1 << 8, 1 << 12, 1 << 13,
)  # fmt: skip
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL
"""Rights that a rule for anything but a folder may give."""
READING = READ_FILE | READ_DIRECTORY
RUNNING = READING | EXECUTE
CHANGING = (
    READING | WRITE_FILE | TRUNCATE | REMOVE_DIRECTORY | REMOVE_FILE
    | MAKE_DIRECTORY | MAKE_FILE | MAKE_LINK | MOVE
)  # fmt: skip
DRIVING = READ_FILE | WRITE_FILE | IOCTL
FILE_RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 5: 16}
"""How many file-system rights each version of the interface knows, from the lowest bit."""
SCOPED_FROM_VERSION = 6
SCOPES = 0b11
"""Abstract Unix sockets and signals stay within the restricted process."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """All that a program may open; what is beneath a path counts as the path."""

    programs: tuple[Path, ...]
    """Read and started."""
    writable: tuple[Path, ...]
    """Read and changed, and not started."""


def landlock_version() -> int:
    """The kernel's version of the interface; 0 where it has none."""
    return max(0, int(_libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION_FLAG)))


def allow_reading_only(
    paths: Iterable[Path], devices: Iterable[Path] = (), folders: Iterable[Path] = ()
) -> bool:
    """From now on this thread opens nothing but what lies beneath `paths`, and that for reading.

    Of `devices` it may write and control as well, in `folders` change what it likes. Returns False, changing
    nothing, where the kernel has no Landlock. Needs PR_SET_NO_NEW_PRIVS. Raises OSError where the kernel
    refuses a rule.
    """
    rights = ((paths, READING), (devices, DRIVING), (folders, CHANGING))
    return _restrict([(path, right) for group, right in rights for path in group])


def confine(confinement: Confinement) -> bool:
    """From now on this thread, and every program it starts, opens nothing but what `confinement` names.

    Returns False, changing nothing, where the kernel has no Landlock. Needs PR_SET_NO_NEW_PRIVS.
    Raises OSError where the kernel refuses a rule.
    """
    programs = [(path, RUNNING) for path in confinement.programs]
    return _restrict(programs + [(path, CHANGING) for path in confinement.writable])


def _restrict(allowed: Iterable[tuple[Path, int]]) -> bool:
    version = landlock_version()
    if version == 0:
        return False
    rights = max(count for first, count in FILE_RIGHTS_BY_VERSION.items() if first <= version)
    scopes = SCOPES if version >= SCOPED_FROM_VERSION else 0
    attributes = struct.pack("<QQQ", (1 << rights) - 1, 0, scopes)
    ruleset = _call(CREATE_RULESET, attributes, ctypes.c_size_t(24 if scopes else 8), 0)
    try:
        for path, wanted in allowed:
            _allow(ruleset, path, wanted & ((1 << rights) - 1))
        _call(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return True


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        given = rights if path.is_dir() else rights & OF_A_FILE
        _call(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("<Qi", given, beneath), 0)
    finally:
        os.close(beneath)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: object) -> int:
    result = int(_libc().syscall(number, *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), "Landlock refused a rule")
    return result
