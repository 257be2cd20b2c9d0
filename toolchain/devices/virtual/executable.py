"""Kernels made executable: translated quickly when first launched, thoroughly once they have run for long."""

import ctypes
import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from cudamaster.toolchain.devices.virtual.analysis.sharing import (
    blocks_with_atomics,
    needs_one_thread,
    takes_from_a_queue,
)
from cudamaster.toolchain.devices.virtual.codegen.special import reads_clock
from cudamaster.toolchain.devices.virtual.codegen.warp_function import FUNCTION_NAME
from cudamaster.toolchain.devices.virtual.jit import THOROUGH, MachineCode
from cudamaster.toolchain.devices.virtual.launch import Site, counted_as
from cudamaster.toolchain.devices.virtual.overlapping import Ordering
from cudamaster.toolchain.devices.virtual.runtime import NativeSite, native_sites
from cudamaster.toolchain.devices.virtual.translation import Translation
from cudamaster.toolchain.devices.virtual.translations import Job, Translator
from cudamaster.toolchain.devices.virtual.waiting import Pace, may_wait, only_waits

THOROUGH_SECONDS_PER_BYTE = 8e-6
"""Spent in launches, for each byte of quick code, when thorough translation becomes worth its time."""


@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """A translation in this process's memory."""

    translation: Translation
    address: int
    sites: tuple[Site, ...]
    counted: tuple[Site, ...]
    """The sites with the spaces whose counters they have."""
    native_sites: "ctypes.Array[NativeSite]"
    machine: MachineCode
    """Kept: its memory is that of `address`."""


class Executable:
    """One kernel. Code that counts also runs whole grids, so that what is checked and timed is made once."""

    def __init__(
        self, job: Job, translator: Translator, native: ctypes.CDLL, latency: Mapping[str, float]
    ) -> None:
        """`job` asks for quick code that counts; `latency` is the GPU's. Raises Unsupported."""
        self.kernel = job.kernel
        self.reads_clock = reads_clock(job.kernel)
        """Whether a loop in which nothing changes may still end."""
        self.lengths = np.array([len(block) for block in job.kernel.blocks], np.int32)
        """Instructions of each basic block."""
        self.only_waits = only_waits(job.kernel)
        """Of each basic block, whether it does nothing but ask an mbarrier."""
        self.shares_work = bool(blocks_with_atomics(job.kernel))
        """Whether a block may do what others have left: it learns of them by atomics."""
        self.takes_from_a_queue = takes_from_a_queue(job.kernel)
        """Whether it may do so again and again."""
        self.may_wait = may_wait(job.kernel)
        """Whether a block may wait for others, and these for yet others."""
        self.needs_one_thread = needs_one_thread(job.kernel)
        self.ordering = Ordering.of(job.kernel)
        self.processor_seconds = 0.0
        """Spent in its launches so far: a busy machine is no reason to translate anew."""
        self._job, self._translator, self._native, self._latency = job, translator, native, latency
        self._quick = self._load(job)
        self._thorough: dict[bool, Code] = {}
        self._watched: Code | None = None

    def code(self, *, count: bool) -> Code:
        """The code that is worth having by now; it counts where that is needed."""
        if self.processor_seconds <= THOROUGH_SECONDS_PER_BYTE * len(self._quick.translation.code):
            return self._quick
        if count not in self._thorough:
            mode = replace(self._job.mode, count=count)
            self._thorough[count] = self._load(self._job._replace(mode=mode, level=THOROUGH))
        return self._thorough[count]

    @functools.cached_property
    def pace(self) -> Pace:
        """What clocks of its blocks go by."""
        return Pace.of(self._job.module, self.kernel, self._latency)

    def watched_code(self) -> Code:
        """Code that tells the runtime of every access. Raises Unsupported."""
        if self._watched is None:
            mode = replace(self._job.mode, count=False, watch=True)
            self._watched = self._load(self._job._replace(mode=mode))
        return self._watched

    def _load(self, job: Job) -> Code:
        translation = self._translator(job)
        machine = MachineCode(translation.code, FUNCTION_NAME, self._native)
        sites = tuple(placed.site(self.kernel) for placed in translation.sites)
        table = native_sites(sites, [placed.aligned for placed in translation.sites])
        counted = tuple(map(counted_as, sites))
        return Code(translation, machine.address, sites, counted, table, machine)
