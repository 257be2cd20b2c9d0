import numpy as np
import pytest

from cudamaster.agents.builtin.bandit import Arm, choose, draw, posterior


def pulls(means: dict[str, float], rounds: int, seed: int, priors: dict[str, float]) -> list[str]:
    """Names of the arms pulled when each pays its mean, give or take a little."""
    rng = np.random.default_rng(seed)
    rewards: dict[str, list[float]] = {name: [] for name in means}
    pulled = []
    for _ in range(rounds):
        arm = choose([Arm(name, priors[name], tuple(rewards[name])) for name in means], rng)
        rewards[arm.name].append(means[arm.name] + rng.normal(0, 0.1))
        pulled.append(arm.name)
    return pulled


@pytest.mark.parametrize("seed", range(5))
def test_the_better_arm_is_pulled_most_of_the_time(seed: int) -> None:
    pulled = pulls({"good": 1.5, "poor": 0.2}, 40, seed, {"good": 0.5, "poor": 0.5})

    assert pulled[-20:].count("good") >= 18


@pytest.mark.parametrize("seed", range(5))
def test_a_misleading_prior_is_overcome(seed: int) -> None:
    pulled = pulls({"good": 1.5, "poor": -0.5}, 40, seed, {"good": 0.5, "poor": 1.5})

    assert pulled[-20:].count("good") >= 18


def test_without_rewards_the_posterior_is_the_prior() -> None:
    mean, deviation = posterior(Arm("new", 0.7))

    assert mean == 0.7
    assert deviation > 0


def test_rewards_narrow_the_posterior() -> None:
    before, after = posterior(Arm("a", 1.0)), posterior(Arm("a", 1.0, (1.0, 1.0, 1.0, 1.0)))

    assert after[0] == pytest.approx(1.0)
    assert after[1] < before[1] / 2


def test_a_bad_neighbour_of_a_good_setting_says_little_against_the_arm() -> None:
    alone, with_failure = posterior(Arm("a", 1.0, (2.0,))), posterior(Arm("a", 1.0, (2.0, -3.0)))

    assert with_failure[0] == alone[0]


def test_the_same_generator_state_draws_the_same() -> None:
    arms = [Arm("a", 0.0), Arm("b", 1.0, (0.5,))]

    assert draw(arms, np.random.default_rng(7)) == draw(arms, np.random.default_rng(7))
