import numpy as np
import pytest

from cudamaster.agents.builtin.catalog import find_strategy
from cudamaster.agents.builtin.rendering import render_kernel
from cudamaster.agents.builtin.strategy import Setting
from cudamaster.agents.builtin.team import BuiltinTeam
from cudamaster.agents.nouns import Plan, Situation
from mskernelbench.evaluation import Status
from mskernelbench.operator import Precision
from tests.doubles.situations import attempt, evaluation, situation

TEAM = BuiltinTeam()
LARGE = {"BM": 128, "BN": 128, "BK": 64, "WM": 32, "WN": 64, "STAGES": 4}


def pipeline(now: Situation, setting: Setting) -> str:
    strategy = find_strategy("mma_pipeline", now.operator, now.precision)
    assert strategy is not None
    return render_kernel(
        strategy,
        setting,
        operator=now.operator,
        precision=now.precision,
        entry=now.entry,
        spec=now.spec,
    )


@pytest.mark.parametrize("status", [Status.LAUNCH_FAILED, Status.TIMED_OUT, Status.BUILD_FAILED])
def test_a_kernel_that_asks_for_too_much_gets_a_smaller_setting(status: Status) -> None:
    now = situation("matrix_mul", Precision.BF16)
    plan = Plan("mma_pipeline", "c", "r", parameters=LARGE)

    mended = TEAM.debug(now, plan, TEAM.write(now, plan), evaluation(status))

    assert mended is not None
    assert "mma_tile_gemm" in mended
    strategy = find_strategy("mma_pipeline", now.operator, now.precision)
    assert strategy is not None
    smaller = [s for s in strategy.settings(now.precision, now.spec) if pipeline(now, s) == mended]
    assert strategy.size(smaller[0], now.precision) < strategy.size(LARGE, now.precision)


def test_a_second_mend_is_smaller_still() -> None:
    now = situation("matrix_mul", Precision.BF16)
    plan = Plan("mma_pipeline", "c", "r", parameters=LARGE)
    source, sizes = TEAM.write(now, plan), list[int]()
    strategy = find_strategy("mma_pipeline", now.operator, now.precision)
    assert strategy is not None
    settings = {pipeline(now, s): s for s in strategy.settings(now.precision, now.spec)}

    for _ in range(4):
        sizes.append(strategy.size(settings[source], now.precision))
        source = TEAM.debug(now, plan, source, evaluation(Status.LAUNCH_FAILED)) or ""

    assert sizes == sorted(set(sizes), reverse=True)


def test_an_unsupported_opcode_falls_back_to_another_strategy() -> None:
    now = situation("matrix_mul", Precision.BF16)
    plan = TEAM.plan(now, 3, np.random.default_rng(0))[0]
    plan = Plan("mma_pipeline", plan.change, plan.reason, parameters=LARGE)

    mended = TEAM.debug(now, plan, TEAM.write(now, plan), evaluation(Status.UNSUPPORTED))

    assert mended is not None
    assert "wmma::" in mended


def test_a_source_that_was_tried_is_not_offered_as_a_mend() -> None:
    now = situation("stencil_2d")
    plan = Plan("vector_row", "c", "r", parameters={"THREADS_Y": 2})
    first = TEAM.debug(now, plan, TEAM.write(now, plan), evaluation(Status.UNSUPPORTED))
    later = situation("stencil_2d", history=(attempt(1, plan, source=first),))

    assert first is not None
    assert TEAM.debug(later, plan, TEAM.write(now, plan), evaluation(Status.UNSUPPORTED)) != first


@pytest.mark.parametrize("status", [Status.WRONG, Status.CHEATED])
def test_a_wrong_kernel_is_given_up(status: Status) -> None:
    now = situation("spmv_csr")
    plan = Plan("lanes_per_row", "c", "r", parameters={"LANES": 8, "ROW_THREADS": 128})

    assert TEAM.debug(now, plan, TEAM.write(now, plan), evaluation(status)) is None
