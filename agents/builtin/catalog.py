"""The playbook's strategies: listing its folders is the registry."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from cudamaster.agents.builtin.strategy import Strategy, read_strategy
from mskernelbench.operator import Operator, Precision

PLAYBOOK = Path(__file__).parent / "playbook"


@cache
def all_strategies() -> tuple[Strategy, ...]:
    """Every strategy, by family and name."""
    return tuple(read_strategy(file.parent) for file in sorted(PLAYBOOK.glob("*/*/strategy.toml")))


def strategies_for(operator: Operator, precision: Precision) -> tuple[Strategy, ...]:
    """The strategies whose templates write this operator in this precision; none where no family knows it."""
    return tuple(s for s in all_strategies() if s.applies(operator.name, precision))


def find_strategy(name: str, operator: Operator, precision: Precision) -> Strategy | None:
    """The strategy of this name for this operator; None where there is none."""
    return next((s for s in strategies_for(operator, precision) if s.name == name), None)


def parameter_words(strategy: str, operator: str, parameters: Mapping[str, int]) -> list[str]:
    """What a setting of a strategy means, a phrase for each parameter: `THREADS=128 threads of a block`.

    Empty for a strategy that the playbook lacks, such as a language model's.
    """
    known = (s.family for s in all_strategies() if s.name == strategy and operator in s.operators)
    if (family := next(known, None)) is None:
        return []
    words = _parameters()["every"] | _parameters().get(family, {})
    return [f"{name}={value} {words[name]}" for name, value in parameters.items() if name in words]


@cache
def _parameters() -> Mapping[str, dict[str, str]]:
    return tomllib.loads((PLAYBOOK / "parameters.toml").read_text(encoding="utf-8"))
