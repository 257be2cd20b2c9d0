"""MSKernelBench: operators, their references and baselines, and the referee that judges kernels for them.

    from mskernelbench import all_operators, evaluate

Importing the package loads nothing; these names load what is behind them when they are asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mskernelbench.catalog import all_operators, find_operator
    from mskernelbench.judging import evaluate

__all__ = ["all_operators", "evaluate", "find_operator"]

_HOMES = {"all_operators": "catalog", "find_operator": "catalog", "evaluate": "judging"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
