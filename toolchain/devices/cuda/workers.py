"""Starts one GPU's workers, with as little left out of their hardening as its driver works with.

Nobody can know that before a driver is there. What is left out is found before any candidate has run, stays
for as long as the device is open, and is said.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack

from cudamaster.toolchain.devices.cuda.context import OUT_OF_MEMORY
from cudamaster.toolchain.devices.cuda.equipment import Equipment
from cudamaster.toolchain.devices.cuda.locks import tell
from cudamaster.toolchain.errors import WorkerBroken
from cudamaster.toolchain.worker.hardening import (
    FILTER,
    LANDLOCK,
    MEMORY_FILES,
    NAMESPACES,
    may_go_unfiltered,
)
from cudamaster.toolchain.worker.starter import WorkerStarter
from cudamaster.toolchain.worker.worker import Worker

TRIALS = ((), (), (NAMESPACES,), (MEMORY_FILES,), (LANDLOCK,), (NAMESPACES, MEMORY_FILES, LANDLOCK))
"""What is left out, in the order tried; nothing twice, since a start may fail for other reasons."""
UNFILTERED_TRIALS = ((FILTER,), (NAMESPACES, MEMORY_FILES, LANDLOCK, FILTER))
"""Likewise, where kernels are trusted: without the filter one may reach the process that judges it."""
TRIAL_SECONDS = 60.0
"""After which no other trial begins: a driver that answers nobody is not held up by rights."""


class GpuWorkers:
    """Workers that see only the GPU `uuid`, called `name`. Any thread may call any method."""

    def __init__(self, equipment: Equipment, uuid: str, name: str, say: Callable[[str], None] = tell) -> None:
        self._equipment, self._name, self._say = equipment, name, say
        self.left_out: tuple[str, ...] | None = None
        """None before the first worker was started."""
        variables = {**equipment.variables, "CUDA_VISIBLE_DEVICES": uuid}
        self._starters = {
            own: WorkerStarter(equipment.program, variables, own_namespaces=own) for own in (True, False)
        }

    def warm(self) -> None:
        """Start the process that workers come from, in the background."""
        self._starter(self.left_out or ()).warm()

    def start(self, *readable: str) -> Worker:
        """A worker that may read these folders too. Raises EnvironmentLacks, WorkerBroken."""
        if self.left_out is not None:
            return self._start(self.left_out, readable)
        return self._first(readable)

    def close(self) -> None:
        """End all of them, and what they come from."""
        with ExitStack() as all_of_them:
            for starter in self._starters.values():
                all_of_them.callback(starter.close)

    def _first(self, readable: tuple[str, ...]) -> Worker:
        failures: list[WorkerBroken] = []
        deadline = time.monotonic() + TRIAL_SECONDS
        for left_out in (*TRIALS, *(UNFILTERED_TRIALS if may_go_unfiltered() else ())):
            try:
                worker = self._start(left_out, readable)
            except WorkerBroken as broken:
                failures.append(broken)
                if OUT_OF_MEMORY in str(broken) or time.monotonic() > deadline:
                    break
                continue
            self.left_out = left_out
            if left_out:
                self._say(_said(self._name, left_out, failures[0]))
            return worker
        raise failures[0]

    def _start(self, left_out: tuple[str, ...], readable: tuple[str, ...]) -> Worker:
        return self._starter(left_out).start(self._equipment.worker_limits(*readable, left_out=left_out))

    def _starter(self, left_out: tuple[str, ...]) -> WorkerStarter:
        return self._starters[NAMESPACES not in left_out]


def _said(name: str, left_out: tuple[str, ...], failure: WorkerBroken) -> str:
    reason = str(failure).strip().splitlines()[-1]
    return (
        f"{name}: NVIDIA's driver does not work with all that kernels are denied ({reason}); their processes "
        f"go without {', '.join(left_out)} (docs/cuda-device.md)"
    )
