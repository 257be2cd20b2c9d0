"""The C runtime's structures and functions as ctypes sees them; mirrors `native/runtime.h` and `vgpu.h`."""

import ctypes
from collections.abc import Sequence

from cudamaster.toolchain.devices.virtual.launch import Site

SPACES = ("global", "shared", "local", "const", "param", "generic", "shared_cluster")
KINDS = ("load", "store", "atomic", "ldmatrix", "async_copy")
FAULT_KINDS = (
    "none", "out_of_bounds", "misaligned", "input_written", "trap", "assert", "barrier_divergence",
    "deadlock", "timed_out", "illegal", "unsupported", "stack_overflow", "use_after_free", "race",
    "uninitialised", "in_flight", "ended", "stale",
)  # fmt: skip
WRITABLE = 1
ORDER_REVERSED, POISON, OTHER_POISON, FENCED, TIMED = 1, 2, 4, 8, 16
MOST_NOTED = 16


class NativeSite(ctypes.Structure):
    """`VgSite`."""

    _fields_ = [
        ("space", ctypes.c_uint8), ("kind", ctypes.c_uint8), ("bytes", ctypes.c_uint8),
        ("aligned", ctypes.c_uint8), ("line", ctypes.c_int32), ("strong", ctypes.c_uint8),
        ("barrier", ctypes.c_uint8), ("replaces", ctypes.c_uint8), ("constant", ctypes.c_uint8),
    ]  # fmt: skip


class NativeFault(ctypes.Structure):
    """`VgFault`."""

    _fields_ = [
        ("kind", ctypes.c_int32), ("line", ctypes.c_int32), ("site", ctypes.c_int32),
        ("access", ctypes.c_int32), ("space", ctypes.c_int32), ("bytes", ctypes.c_int32),
        ("address", ctypes.c_uint64), ("base", ctypes.c_uint64), ("size", ctypes.c_uint64),
        ("block", ctypes.c_int64), ("warp", ctypes.c_int32), ("lane", ctypes.c_int32),
        ("pc", ctypes.c_uint32), ("detail", ctypes.c_int32), ("buffer", ctypes.c_char * 64),
        ("other_block", ctypes.c_int64), ("other_line", ctypes.c_int32), ("other_access", ctypes.c_int32),
        ("other_warp", ctypes.c_int32), ("other_lane", ctypes.c_int32),
    ]  # fmt: skip


class NativeLaunch(ctypes.Structure):
    """`VgLaunch`, the runtime's own fields at its end as padding."""

    _fields_ = [
        ("function", ctypes.c_void_p), ("watched", ctypes.c_void_p), ("parameters", ctypes.c_void_p),
        ("variables", ctypes.c_void_p),
        ("workspace", ctypes.c_uint64), ("sites", ctypes.c_void_p), ("sampled", ctypes.c_void_p),
        ("counters", ctypes.c_void_p), ("lengths", ctypes.c_void_p), ("cycles", ctypes.c_void_p),
        ("live_starts", ctypes.c_void_p), ("live_ranges", ctypes.c_void_p),
        ("only_waits", ctypes.c_void_p), ("issued", ctypes.c_void_p),
        ("paths", ctypes.c_void_p), ("whole", ctypes.c_void_p), ("footprint_starts", ctypes.c_void_p),
        ("footprint_counts", ctypes.c_void_p), ("sampled_count", ctypes.c_int64),
        ("context_bytes", ctypes.c_int64), ("shared_bytes", ctypes.c_int64),
        ("local_bytes", ctypes.c_int64), ("parameter_bytes", ctypes.c_int64),
        ("counter_count", ctypes.c_int64), ("most_issued", ctypes.c_int64), ("longest", ctypes.c_int64),
        ("longest_block", ctypes.c_int64), ("elapsed", ctypes.c_int64), ("busy_place", ctypes.c_int64),
        ("drawn", ctypes.c_uint64), ("begun", ctypes.c_double),
        ("limit_seconds", ctypes.c_double), ("spin_seconds", ctypes.c_double),
        ("grid", ctypes.c_int32 * 3), ("block", ctypes.c_int32 * 3), ("cluster", ctypes.c_int32 * 3),
        ("site_count", ctypes.c_int32), ("basic_blocks", ctypes.c_int32), ("threads", ctypes.c_int32),
        ("options", ctypes.c_int32), ("slice", ctypes.c_int32), ("short_slice", ctypes.c_int32),
        ("residents", ctypes.c_int32), ("holds", ctypes.c_int32), ("is_overrun", ctypes.c_int32),
        ("waits", ctypes.c_int32), ("l1_bytes", ctypes.c_int32),
        ("noted_count", ctypes.c_int32), ("watched_accesses", ctypes.c_int64), ("noted", ctypes.c_void_p),
        ("fault", NativeFault), ("own", ctypes.c_uint64 * 12),
    ]  # fmt: skip


def declare(native: ctypes.CDLL) -> None:
    """Set the signatures of the functions that Python calls."""
    native.vg_alloc.restype = ctypes.c_void_p
    native.vg_track.argtypes, native.vg_track.restype = [ctypes.c_int], None
    native.vg_blank.argtypes, native.vg_blank.restype = [ctypes.c_void_p], None
    native.vg_alloc.argtypes = [ctypes.c_size_t, ctypes.c_int]
    native.vg_free.argtypes = native.vg_unregister.argtypes = [ctypes.c_void_p]
    native.vg_register.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_char_p]
    native.vg_name.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    native.vg_name.restype = native.vg_give_back_footprints.restype = None
    native.vg_live_bytes.restype = native.vg_list.restype = ctypes.c_int64
    native.vg_list.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    native.vg_lend_footprints.argtypes = [ctypes.POINTER(NativeLaunch)]
    native.vg_lend_footprints.restype = ctypes.c_void_p
    native.vg_give_back_footprints.argtypes = [ctypes.c_void_p]
    native.vg_launch.argtypes = [ctypes.POINTER(NativeLaunch)]


def native_sites(sites: Sequence[Site], aligned: Sequence[bool]) -> "ctypes.Array[NativeSite]":
    """Return what the runtime must know of each memory instruction, and if its addresses must be aligned."""
    table = (NativeSite * (len(sites) + 1))()
    for index, site in enumerate(sites):
        line = site.instruction.source.line if site.instruction.source else 0
        space, kind = SPACES.index(site.space), KINDS.index(_kind_of(site))
        order = (_is_strong(site), _is_barrier(site), _replaces(site), "nc" in site.instruction.modifiers)
        table[index] = NativeSite(space, kind, site.bytes_per_lane, aligned[index], line, *order)
    return table


STRONG = frozenset({"volatile", "relaxed", "acquire", "release", "mmio"})


def _kind_of(site: Site) -> str:
    """What is done there: a bulk copy out of shared memory reads it."""
    reads = site.space == "shared" and "bulk_group" in site.instruction.modifiers
    return "load" if reads else site.kind


def _is_strong(site: Site) -> bool:
    """Whether it may meet other strong accesses in no order at all (PTX ISA, memory consistency model)."""
    return site.kind == "atomic" or not STRONG.isdisjoint(site.instruction.modifiers)


def _is_barrier(site: Site) -> bool:
    words = (site.instruction.base, *site.instruction.modifiers)
    return site.kind == "atomic" and any(word.startswith("mbarrier") for word in words)


def _replaces(site: Site) -> bool:
    """Whether an atomic writes the same whatever was there."""
    return site.kind == "atomic" and "exch" in site.instruction.modifiers
