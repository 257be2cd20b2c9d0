"""How an entry's arguments cross into C: addresses and scalars, plain enough for a message on its way."""

import ctypes
import struct
from typing import Any

from cudamaster.toolchain.arguments import Scalar

Argument = int | Scalar
"""A device buffer's address, or a value passed by value."""


class _Bf16(ctypes.Structure):
    """`__nv_bfloat16`: two bytes, passed by value like an integer on x86-64 and aarch64."""

    _fields_ = (("bits", ctypes.c_uint16),)


def argument_fields(argument: Argument) -> Any:
    """An argument in JSON, for `passed`."""
    return argument if isinstance(argument, int) else [argument.name, argument.value, argument.ctype]


def passed(fields: Any) -> ctypes.c_void_p | ctypes.c_int32 | ctypes.c_float | _Bf16:
    """The argument as C passes it. Raises ValueError for an unknown type."""
    if isinstance(fields, int):
        return ctypes.c_void_p(fields)
    name, value, ctype = fields
    match ctype:
        case "int":
            return ctypes.c_int32(int(value))
        case "float":
            return ctypes.c_float(value)
        case "bf16":
            return _Bf16(bf16_bits(float(value)))
        case "null":
            return ctypes.c_void_p(None)
    raise ValueError(f"the scalar {name} has the unknown type {ctype}")


def bf16_bits(value: float) -> int:
    """The bits of the bfloat16 nearest to `value`, ties to even; NaN stays NaN."""
    bits = int.from_bytes(struct.pack("<f", value), "little")
    if value != value:
        return 0x7FFF
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF
