"""A kernel's machine code with what the runtime must know to run it: made, written down, read again."""

import json
import struct
from dataclasses import asdict, dataclass
from typing import Any

from cudamaster.toolchain.devices.virtual.codegen.emitter import Mode
from cudamaster.toolchain.devices.virtual.codegen.warp_function import WarpFunction, write_warp_function
from cudamaster.toolchain.devices.virtual.jit import generate_object
from cudamaster.toolchain.devices.virtual.launch import Site
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel, Module

_LENGTH = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class PlacedSite:
    """A memory access of the code, by the place of its instruction in the prepared kernel."""

    block: int
    index: int
    space: str
    kind: str
    bytes_per_lane: int
    aligned: bool
    """Whether its addresses must be aligned."""

    def site(self, kernel: Kernel) -> Site:
        """Return the site in `kernel`."""
        instruction = kernel.blocks[self.block][self.index]
        return Site(instruction, self.block, self.space, self.kind, self.bytes_per_lane)


@dataclass(frozen=True, slots=True)
class Translation:
    """One kernel's code for one mode and level, the same for equal kernels of any module."""

    code: bytes
    """An object file that defines `warp_function.FUNCTION_NAME`, and imports what it calls."""
    sites: tuple[PlacedSite, ...]
    context_bytes: int
    shared_bytes: int
    """Static shared memory."""
    local_bytes: int
    """Local memory of one lane."""

    def encoded(self) -> bytes:
        """For `decoded`."""
        head: dict[str, Any] = {
            "sites": [asdict(site) for site in self.sites],
            "context_bytes": self.context_bytes,
            "shared_bytes": self.shared_bytes,
            "local_bytes": self.local_bytes,
        }
        text = json.dumps(head).encode()
        return _LENGTH.pack(len(text)) + text + self.code


def decoded(stored: bytes) -> Translation:
    """The inverse of `encoded`."""
    end = _LENGTH.size + _LENGTH.unpack_from(stored)[0]
    head = json.loads(stored[_LENGTH.size : end])
    sites = tuple(PlacedSite(**site) for site in head.pop("sites"))
    return Translation(stored[end:], sites, **head)


def translate(module: Module, kernel: Kernel, mode: Mode, level: int) -> Translation:
    """Return the code of `kernel`, which is prepared. Raises Unsupported where it cannot be run."""
    function = write_warp_function(module, kernel, mode)
    return Translation(
        code=generate_object(function.text, level),
        sites=tuple(_placed(function)),
        context_bytes=function.layout.context_bytes,
        shared_bytes=function.layout.static_shared_bytes,
        local_bytes=function.layout.local_bytes,
    )


def _placed(function: WarpFunction) -> list[PlacedSite]:
    places = {
        id(instruction): (b, i)
        for b, block in enumerate(function.kernel.blocks)
        for i, instruction in enumerate(block)
    }
    return [
        PlacedSite(
            *places[id(site.instruction)],
            site.space,
            site.kind,
            site.bytes_per_lane,
            number not in function.unaligned_sites,
        )
        for number, site in enumerate(function.sites)
    ]
