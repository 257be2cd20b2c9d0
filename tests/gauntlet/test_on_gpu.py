"""Cheats that are after what only a GPU has, streams, events, clocks, its L2 cache, gain nothing on one."""

from collections.abc import Iterator

import pytest

from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.errors import EnvironmentLacks
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision
from mskernelbench.referee import Referee
from tests.gauntlet.judging import SEED
from tests.gauntlet.kernels import NO_GAIN, Cheat, Harmless, suspects


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    try:
        opened = open_device("cuda:0")
    except EnvironmentLacks as lacking:
        pytest.skip(str(lacking))
    yield opened
    opened.close()


@pytest.mark.gpu
@pytest.mark.parametrize("cheat", [c for c in suspects() if c.gpu], ids=lambda cheat: cheat.name)
def test_a_cheat_on_a_gpu_is_refused_or_gains_nothing(device: Device, cheat: Cheat | Harmless) -> None:
    referee = Referee(device, load_operator(cheat.operator), Precision(cheat.precision), seed=SEED)
    evaluation = referee.evaluate(cheat.source, sets=("check", "paper"))
    assert not evaluation.correct or evaluation.speedup is not None
    assert evaluation.speedup is None or evaluation.speedup.low <= NO_GAIN, evaluation.reason
