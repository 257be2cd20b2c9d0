from dataclasses import replace

import numpy as np
import pytest

from cudamaster.agents.builtin.branch import key_of
from cudamaster.agents.builtin.catalog import find_strategy, strategies_for
from cudamaster.agents.builtin.planner import plan_round
from cudamaster.agents.builtin.rendering import render_kernel
from cudamaster.agents.builtin.strategy import Setting
from cudamaster.agents.builtin.team import BuiltinTeam
from cudamaster.agents.nouns import Attempt, Plan, Situation
from mskernelbench.evaluation import Evaluation, Interval, WorkloadResult
from mskernelbench.operator import Precision
from tests.doubles.situations import attempt, evaluation, profile, situation

OPERATORS = ("matrix_mul", "softmax_attention", "spmv_csr", "stencil_2d")


def tried(number: int, plan: Plan, now: Situation, reward: float) -> Attempt:
    source = BuiltinTeam().write(now, plan)
    return attempt(number, plan, reward=reward, verdict=evaluation(speedup=2.0**reward), source=source)


def rounds(operator: str, precision: Precision, count: int, reward_of: dict[str, float]) -> list[Plan]:
    """Plans of `count` rounds of three, each rewarded by its strategy's name."""
    rng, history, plans = np.random.default_rng(1), list[Attempt](), list[Plan]()
    for _ in range(count):
        now = situation(operator, precision, tuple(history))
        for plan in plan_round(now, 3, rng):
            plans.append(plan)
            history.append(tried(len(plans), plan, now, reward_of.get(plan.strategy, 0.0)))
    return plans


@pytest.mark.parametrize("precision", list(Precision))
@pytest.mark.parametrize("operator", OPERATORS)
def test_the_first_round_spreads_over_strategies_at_their_defaults(
    operator: str, precision: Precision
) -> None:
    now = situation(operator, precision)

    plans = plan_round(now, 3, np.random.default_rng(0))

    assert len({plan.strategy for plan in plans}) == 3
    for plan in plans:
        strategy = next(s for s in strategies_for(now.operator, precision) if s.name == plan.strategy)
        assert plan.parameters == strategy.default(precision, now.spec)


def test_nothing_is_proposed_twice() -> None:
    plans = rounds("stencil_2d", Precision.FP32, 9, {"vector_march": 0.5})
    keys = [(plan.strategy, key_of(plan.parameters)) for plan in plans]

    assert len(plans) == 27
    assert len(set(keys)) == len(keys)


def test_the_plans_run_out_when_every_setting_was_tried() -> None:
    known = strategies_for(situation("stencil_2d").operator, Precision.FP32)
    settings = sum(len(list(s.settings(Precision.FP32, situation().spec))) for s in known)

    plans = rounds("stencil_2d", Precision.FP32, settings // 3 + 3, {})

    assert len(plans) == settings
    assert rounds("stencil_2d", Precision.FP32, settings // 3 + 4, {})[settings:] == []


def test_a_strategy_that_pays_is_tuned_from_its_best_setting() -> None:
    plans = rounds("matrix_mul", Precision.BF16, 8, {"mma_pipeline": 4.0})
    later = [plan for plan in plans[9:] if plan.strategy == "mma_pipeline"]
    strategy = next(
        s for s in strategies_for(situation().operator, Precision.BF16) if s.name == "mma_pipeline"
    )
    tried_before = [plan.parameters for plan in plans if plan.strategy == "mma_pipeline"]

    assert len(later) >= 8
    for index, setting in enumerate(tried_before[1:], 1):
        assert min(strategy.distance(setting, earlier) for earlier in tried_before[:index]) == 1


def test_a_setting_whose_source_was_judged_as_a_mend_is_passed_over() -> None:
    now = situation("matrix_mul")
    tile = next(s for s in strategies_for(now.operator, now.precision) if s.name == "shared_tile")
    small, large = (
        render_kernel(
            tile,
            {"TILE": n},
            operator=now.operator,
            precision=now.precision,
            entry=now.entry,
            spec=now.spec,
        )
        for n in (16, 32)
    )
    mended = attempt(1, Plan("shared_tile", "c", "r", parameters={"TILE": 32}), source=small)
    others = tuple(attempt(2 + i, Plan(f"other_{i}", "c", "r"), source=large) for i in range(1))
    now = situation("matrix_mul", history=(mended, *others))

    plans = plan_round(now, 500, np.random.default_rng(0))

    assert "shared_tile" not in {plan.strategy for plan in plans}


def test_the_profile_decides_which_strategy_is_tried_first() -> None:
    def firsts(bound: str) -> list[str]:
        now = situation("stencil_2d", Precision.BF16, baseline_profile=profile(bound))
        return [plan_round(now, 1, np.random.default_rng(seed))[0].strategy for seed in range(60)]

    assert firsts("memory").count("shared_tile") < 10, (
        "a memory-bound stencil seldom starts with shared memory"
    )
    assert firsts("memory").count("vector_march") > 15


def at_sizes(sizes: int) -> Situation:
    """A run on so many workloads, on which `tile_by_shape` was tried at its default."""
    now = situation("matrix_mul", Precision.BF16)
    baseline = replace(now.baseline, evaluation=timed_on(*[1.0] * sizes))
    strategy = find_strategy("tile_by_shape", now.operator, now.precision)
    assert strategy is not None
    setting = strategy.default(now.precision, now.spec)
    assert setting is not None
    return replace(tuned(replace(now, baseline=baseline), (setting, [0.5] * sizes)), round=2)


def timed_on(*milliseconds: float) -> Evaluation:
    """A verdict with these times."""
    same = Interval(2.0, 2.0, 2.0)
    rows = [WorkloadResult("user", {"N": i}, None, 1.0, ms, same) for i, ms in enumerate(milliseconds)]
    return replace(evaluation(speedup=2.0), workloads=tuple(rows))


def tuned(now: Situation, *settings: tuple[Setting, list[float]]) -> Situation:
    """The situation after `tile_by_shape` at these settings took these times."""
    history = [
        attempt(i, Plan("tile_by_shape", "c", "r", parameters=setting), reward=4.4, verdict=timed_on(*times))
        for i, (setting, times) in enumerate(settings, 1)
    ]
    return replace(now, history=tuple(history))


def of_tile_by_shape(now: Situation, count: int = 3) -> list[Plan]:
    plans = plan_round(now, count, np.random.default_rng(0))
    return [plan for plan in plans if plan.strategy == "tile_by_shape"]


def test_at_one_size_what_chooses_among_sizes_is_left_alone_while_other_things_are_left() -> None:
    several, one = of_tile_by_shape(at_sizes(4), 20), of_tile_by_shape(at_sizes(1), 20)
    default = at_sizes(1).history[0].plan.parameters

    def changed(plans: list[Plan]) -> set[str]:
        return {name for plan in plans for name, value in plan.parameters.items() if value != default[name]}

    assert {"SKINNY_ROWS", "FILL"} <= changed(several)
    assert changed(one) == {"STAGES"}


def test_in_the_end_what_chooses_among_sizes_is_tried_at_one_size_too() -> None:
    plans = of_tile_by_shape(at_sizes(1), 100_000)
    settings = {key_of(plan.parameters) for plan in plans}
    assert len(settings) == len(plans) == 4 * 3 * 2 - 1


def test_a_parameter_that_changed_no_time_is_left_alone() -> None:
    before = at_sizes(4)
    default, times = before.history[0].plan.parameters, [0.5] * 4
    alike = dict(default) | {"FILL": 600}
    now = tuned(before, (default, times), (alike, times))
    other = tuned(before, (default, times), (alike, [0.5, 0.5, 0.5, 0.4]))

    def fills(situation: Situation) -> set[int]:
        return {plan.parameters["FILL"] for plan in of_tile_by_shape(situation, 20)}

    assert 150 not in fills(now)
    assert 150 in fills(other)


def test_plans_of_one_round_change_different_parameters() -> None:
    now = at_sizes(4)
    default = now.history[0].plan.parameters
    for seed in range(20):
        plans = plan_round(now, 3, np.random.default_rng(seed))
        near = [p.parameters for p in plans if p.strategy == "tile_by_shape"]
        names = [name for one in near for name in one if one[name] != default[name]]
        assert len(set(names)) == len(names)


def test_the_same_seed_plans_the_same() -> None:
    now = situation("spmv_csr")

    assert plan_round(now, 4, np.random.default_rng(3)) == plan_round(now, 4, np.random.default_rng(3))
