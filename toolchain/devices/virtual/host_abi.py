"""The structures and callbacks that `host.py` exchanges with `native/cudart.h`, which declares the same."""

import ctypes
from ctypes import c_char, c_char_p, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p

MAX_PARAMETERS = 1024
"""Most parameters of a kernel."""


class DeviceLayout(ctypes.Structure):
    """`VgDevice` of cudart.h."""

    _fields_ = (
        ("name", c_char * 256),
        *(
            (field_name, c_int64)
            for field_name in (
                "major",
                "minor",
                "sm_count",
                "clock_khz",
                "memory_clock_khz",
                "memory_bus_bits",
                "dram_bytes",
                "l2_bytes",
                "shared_per_sm",
                "shared_per_block_optin",
                "registers_per_sm",
                "warps_per_sm",
                "blocks_per_sm",
                "allocation_limit",
            )
        ),
    )


class FactsLayout(ctypes.Structure):
    """`VgKernelFacts` of cudart.h."""

    _fields_ = (
        ("registers", c_int32),
        ("static_shared", c_int32),
        ("local_bytes", c_int32),
        ("max_threads", c_int32),
        ("cluster", c_int32 * 3),
        ("parameter_count", c_int32),
        ("parameter_bytes", c_int32),
        ("offsets", c_int32 * MAX_PARAMETERS),
        ("sizes", c_int32 * MAX_PARAMETERS),
    )


class LaunchLayout(ctypes.Structure):
    """`VgLaunchCall` of cudart.h."""

    _fields_ = (
        ("kernel", c_char_p),
        ("grid", c_uint32 * 3),
        ("block", c_uint32 * 3),
        ("cluster", c_uint32 * 3),
        ("cooperative", c_uint32),
        ("overlaps", c_uint32),
        ("dynamic_shared", c_uint64),
        ("parameters", c_void_p),
        ("parameter_bytes", c_uint64),
    )


class CopyLayout(ctypes.Structure):
    """`CopyWork` of cudart.h."""

    _fields_ = (
        ("dst", c_void_p),
        ("src", c_void_p),
        *(
            (field_name, c_uint64)
            for field_name in ("dst_pitch", "src_pitch", "dst_slice", "src_slice", "width", "height", "depth")
        ),
    )


class FillLayout(ctypes.Structure):
    """`FillWork` of cudart.h."""

    _fields_ = (
        ("base", c_void_p),
        *((field_name, c_uint64) for field_name in ("pitch", "slice", "width", "height", "depth")),
        ("value", c_int),
    )


ModuleCallback = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64)
DescribeCallback = ctypes.CFUNCTYPE(c_int, c_char_p, ctypes.POINTER(FactsLayout))
LaunchCallback = ctypes.CFUNCTYPE(c_int, ctypes.POINTER(LaunchLayout))
SymbolCallback = ctypes.CFUNCTYPE(c_int, c_char_p, ctypes.POINTER(c_void_p), ctypes.POINTER(c_uint64))
UnsupportedCallback = ctypes.CFUNCTYPE(c_int, c_char_p)
MemoryCallback = ctypes.CFUNCTYPE(c_int, c_int, c_uint64)
AllocateCallback = ctypes.CFUNCTYPE(c_int, ctypes.POINTER(c_void_p), c_uint64, c_int)
ReleaseCallback = ctypes.CFUNCTYPE(c_int, c_void_p)
CarryCallback = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_uint64, c_int)
CopyCallback = ctypes.CFUNCTYPE(c_int, ctypes.POINTER(CopyLayout))
FillCallback = ctypes.CFUNCTYPE(c_int, ctypes.POINTER(FillLayout))


class HostLayout(ctypes.Structure):
    """`VgHost` of cudart.h."""

    _fields_ = (
        ("module", ModuleCallback),
        ("describe", DescribeCallback),
        ("launch", LaunchCallback),
        ("symbol", SymbolCallback),
        ("memory", MemoryCallback),
        ("unsupported", UnsupportedCallback),
        ("allocate", AllocateCallback),
        ("release", ReleaseCallback),
        ("carry", CarryCallback),
        ("copy", CopyCallback),
        ("fill", FillCallback),
    )
