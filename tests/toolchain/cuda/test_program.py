"""The program of a GPU's worker tells what is missing before it calls anybody's code."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cudamaster.toolchain.devices.cuda.candidate import Counted
from cudamaster.toolchain.devices.cuda.context import Context
from cudamaster.toolchain.devices.cuda.driver import CudaDriver
from cudamaster.toolchain.devices.cuda.program import Prepared, open_program
from cudamaster.toolchain.devices.cuda.sharing import SharedMemory
from cudamaster.toolchain.errors import EnvironmentLacks
from tests.doubles.cuda_gpu import FakeGpu, small_card


class RuntimeOfHost:
    """Loads a library of ours, in which launching does nothing."""

    def begin(self) -> None:
        pass

    def load(self, library: Path) -> SimpleNamespace:
        return SimpleNamespace(fingerprint_of=lambda *arguments: None)

    def counted(self) -> Counted:
        return Counted(1, 0, 0, None)


def test_a_driver_that_wants_more_rights_than_are_left_is_no_candidates_fault() -> None:
    rights = [0, 304]
    gpu = FakeGpu([small_card()], wait=lambda: rights[-1])
    context = Context(CudaDriver(gpu), 0)
    context.use()
    owned = SharedMemory(context, 1)
    prepared = Prepared(context, *cast(Any, (RuntimeOfHost(), None)), owned, Path("own.so"))

    with pytest.raises(EnvironmentLacks, match=r"OPERATING_SYSTEM \(304\), once a worker"):
        open_program(lambda question: {}, prepared)

    rights.pop()
    open_program(lambda question: {}, prepared._replace(owned=SharedMemory(context, 1)))
    context.close()
    assert not gpu.kept
