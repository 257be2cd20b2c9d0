"""The system calls a worker's filter names, by architecture. Numbers are of the Linux kernel's interface.

Sources: `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h` of Linux.
"""

from typing import NamedTuple


class Numbers(NamedTuple):
    """One system call's number on each architecture; None where it does not exist."""

    x86_64: int
    aarch64: int | None


SECCOMP = Numbers(317, 277)

FILES = "creating, renaming and changing files"
MEMORY = "memory that outlives a process or has no name"

STARTING: dict[str, Numbers] = {
    "fork": Numbers(57, None),
    "vfork": Numbers(58, None),
    "execve": Numbers(59, 221),
    "execveat": Numbers(322, 281),
}
"""What starts programs and processes, but for `clone`, which starts threads as well."""
DENIED: dict[str, dict[str, Numbers]] = {
    "sockets": {
        "socket": Numbers(41, 198),
        "socketpair": Numbers(53, 199),
        "connect": Numbers(42, 203),
        "bind": Numbers(49, 200),
        "listen": Numbers(50, 201),
        "accept": Numbers(43, 202),
        "accept4": Numbers(288, 242),
    },
    "other processes": {
        "ptrace": Numbers(101, 117),
        "process_vm_readv": Numbers(310, 270),
        "process_vm_writev": Numbers(311, 271),
        "process_madvise": Numbers(440, 440),
        "process_mrelease": Numbers(448, 448),
        "kcmp": Numbers(312, 272),
        "tkill": Numbers(200, 130),
        "rt_sigqueueinfo": Numbers(129, 138),
        "rt_tgsigqueueinfo": Numbers(297, 240),
        "pidfd_open": Numbers(434, 434),
        "pidfd_send_signal": Numbers(424, 424),
        "pidfd_getfd": Numbers(438, 438),
        "setsid": Numbers(112, 157),
        "setpgid": Numbers(109, 154),
    },
    FILES: {
        "creat": Numbers(85, None),
        "truncate": Numbers(76, 45),
        "ftruncate": Numbers(77, 46),
        "fallocate": Numbers(285, 47),
        "mkdir": Numbers(83, None),
        "mkdirat": Numbers(258, 34),
        "rmdir": Numbers(84, None),
        "unlink": Numbers(87, None),
        "unlinkat": Numbers(263, 35),
        "rename": Numbers(82, None),
        "renameat": Numbers(264, 38),
        "renameat2": Numbers(316, 276),
        "link": Numbers(86, None),
        "linkat": Numbers(265, 37),
        "symlink": Numbers(88, None),
        "symlinkat": Numbers(266, 36),
        "mknod": Numbers(133, None),
        "mknodat": Numbers(259, 33),
        "chmod": Numbers(90, None),
        "fchmod": Numbers(91, 52),
        "fchmodat": Numbers(268, 53),
        "chown": Numbers(92, None),
        "fchown": Numbers(93, 55),
        "lchown": Numbers(94, None),
        "fchownat": Numbers(260, 54),
        "utime": Numbers(132, None),
        "utimes": Numbers(235, None),
        "utimensat": Numbers(280, 88),
        "futimesat": Numbers(261, None),
        "setxattr": Numbers(188, 5),
        "lsetxattr": Numbers(189, 6),
        "fsetxattr": Numbers(190, 7),
        "removexattr": Numbers(197, 14),
        "lremovexattr": Numbers(198, 15),
        "fremovexattr": Numbers(199, 16),
    },
    "file systems": {
        "mount": Numbers(165, 40),
        "umount2": Numbers(166, 39),
        "move_mount": Numbers(429, 429),
        "open_tree": Numbers(428, 428),
        "fsopen": Numbers(430, 430),
        "fsconfig": Numbers(431, 431),
        "fsmount": Numbers(432, 432),
        "fspick": Numbers(433, 433),
        "mount_setattr": Numbers(442, 442),
        "pivot_root": Numbers(155, 41),
        "chroot": Numbers(161, 51),
        "swapon": Numbers(167, 224),
        "swapoff": Numbers(168, 225),
        "quotactl": Numbers(179, 60),
        "acct": Numbers(163, 89),
        "fanotify_init": Numbers(300, 262),
        "inotify_init": Numbers(253, None),
        "inotify_init1": Numbers(294, 26),
        "name_to_handle_at": Numbers(303, 264),
        "open_by_handle_at": Numbers(304, 265),
    },
    MEMORY: {
        "memfd_create": Numbers(319, 279),
        "memfd_secret": Numbers(447, 447),
        "shmget": Numbers(29, 194),
        "shmat": Numbers(30, 196),
        "shmctl": Numbers(31, 195),
        "msgget": Numbers(68, 186),
        "msgsnd": Numbers(69, 189),
        "semget": Numbers(64, 190),
        "semop": Numbers(65, 193),
        "mq_open": Numbers(240, 180),
        "mq_unlink": Numbers(241, 181),
    },
    "the kernel's wide doors": {
        "bpf": Numbers(321, 280),
        "perf_event_open": Numbers(298, 241),
        "io_uring_setup": Numbers(425, 425),
        "io_uring_enter": Numbers(426, 426),
        "io_uring_register": Numbers(427, 427),
        "userfaultfd": Numbers(323, 282),
        "keyctl": Numbers(250, 219),
        "add_key": Numbers(248, 217),
        "request_key": Numbers(249, 218),
        "unshare": Numbers(272, 97),
        "setns": Numbers(308, 268),
        "init_module": Numbers(175, 105),
        "finit_module": Numbers(313, 273),
        "delete_module": Numbers(176, 106),
        "kexec_load": Numbers(246, 104),
        "kexec_file_load": Numbers(320, 294),
        "reboot": Numbers(169, 142),
        "syslog": Numbers(103, 116),
        "personality": Numbers(135, 92),
        "modify_ldt": Numbers(154, None),
        "iopl": Numbers(172, None),
        "ioperm": Numbers(173, None),
        "seccomp": SECCOMP,
    },
    "limits, identity and the clock": {
        "setrlimit": Numbers(160, 164),
        "setuid": Numbers(105, 146),
        "setgid": Numbers(106, 144),
        "setreuid": Numbers(113, 145),
        "setregid": Numbers(114, 143),
        "setresuid": Numbers(117, 147),
        "setresgid": Numbers(119, 149),
        "setgroups": Numbers(116, 159),
        "capset": Numbers(126, 91),
        "settimeofday": Numbers(164, 170),
        "clock_settime": Numbers(227, 112),
        "adjtimex": Numbers(159, 171),
        "clock_adjtime": Numbers(305, 266),
        "sethostname": Numbers(170, 161),
        "setdomainname": Numbers(171, 162),
    },
}
"""Calls that fail with EPERM, by what they would be used for."""

OF_MEMORY_FILES = frozenset({"memfd_create", "ftruncate", "fallocate"})
"""Denied calls that a file in memory needs."""

ABSENT = {
    "clone3": Numbers(435, 435),
    "openat2": Numbers(437, 437),
}
"""Calls whose arguments a filter cannot read: they fail with ENOSYS, and libraries use the older call."""

NEEDED_TO_HARDEN = frozenset({"setrlimit", "seccomp"})
"""Denied calls that a process still makes to give its rights up."""

CLONE = Numbers(56, 220)
OPEN = Numbers(2, None)
OPENAT = Numbers(257, 56)
KILL = Numbers(62, 129)
TGKILL = Numbers(234, 131)
PRCTL = Numbers(157, 167)
PRLIMIT64 = Numbers(302, 261)


def denied_name(number: int, machine: str) -> str | None:
    """What a call of this number is, and what it would be used for; None where it is not denied."""
    for purpose, group in DENIED.items():
        for name, numbers in group.items():
            if getattr(numbers, machine) == number:
                return f"{name} ({purpose})"
    writes = number in (getattr(OPEN, machine), getattr(OPENAT, machine))
    return "open (a file to write to it)" if writes else None
