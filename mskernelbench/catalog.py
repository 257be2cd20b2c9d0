"""Finds operators by listing `mskernelbench/operators/`: a folder with a `spec.py` is an operator.

A user's own folder, laid out in the same way, may be given beside it.
"""

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from mskernelbench.errors import UnknownOperator, UnknownPrecision
from mskernelbench.operator import Operator, Precision
from mskernelbench.scores import Task
from mskernelbench.user_operators import user_operators

FOLDER = Path(__file__).parent / "operators"


class Found(NamedTuple):
    """An operator, and the alias that was used to name it."""

    operator: Operator
    alias: str | None
    """The alias as given, so that a command can say what it chose; None for the operator's own name."""


@cache
def operator_names() -> tuple[str, ...]:
    """All operators' names, sorted; reads a folder and imports nothing."""
    return tuple(sorted(spec.parent.name for spec in FOLDER.glob("*/spec.py")))


@cache
def load_operator(name: str) -> Operator:
    """The operator in the folder `name`, which must exist."""
    operator = import_module(f"mskernelbench.operators.{name}.spec").OPERATOR
    assert isinstance(operator, Operator)
    return operator


def all_operators(own: Path | None = None) -> tuple[Operator, ...]:
    """Every operator, by name, then those of the user's folder `own`. Raises BadOperator."""
    ours = tuple(load_operator(name) for name in operator_names())
    return ours if own is None else (*ours, *user_operators(own, ours))


def all_tasks() -> tuple[Task, ...]:
    """Every operator at every precision: what scores over the whole benchmark are over."""
    return tuple((name, str(precision)) for name in operator_names() for precision in Precision)


def find_operator(name: str, own: Path | None = None) -> Found:
    """The operator that `name`, a published symbol in any case, or an alias means.

    Those of the user's folder `own` count too. Raises UnknownOperator, BadOperator.
    """
    key = name.strip().lower().replace("-", "_")
    if own is None and key in operator_names():
        return Found(load_operator(key), None)
    operators = {operator.name: operator for operator in all_operators(own)}
    if key in operators:
        return Found(operators[key], None)
    aliases = {alias: operator for operator in operators.values() for alias in operator.aliases}
    if key in aliases:
        return Found(aliases[key], name)
    near = get_close_matches(key, [*operators, *aliases], n=3, cutoff=0.4)
    hint = f"nearest: {', '.join(near)}" if near else f"there are: {', '.join(operators)}"
    raise UnknownOperator(f"no operator is called {name!r}; {hint}")


def find_precision(name: str) -> Precision:
    """The precision called `name`, in any case. Raises UnknownPrecision."""
    try:
        return Precision(name.strip().lower())
    except ValueError:
        raise UnknownPrecision(f"no precision is called {name!r}; there are fp32 and bf16") from None
