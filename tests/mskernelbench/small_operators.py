"""Operators for tests of the harness: several outputs, optional ones, whole numbers, in place, adding up."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import values
from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Element,
    Operator,
    Parameter,
    Precision,
    Rounding,
    Shape,
    Workload,
    in_place,
    output,
    scalar,
    size,
    tensor,
)

References = Mapping[str, NDArray[np.float64]]


def sizes(*counts: int, **details: Any) -> tuple[Workload, ...]:
    return tuple(Workload("check", {"N": count}, **details) for count in counts)


def one_vector(name: str) -> Callable[[Workload, Precision, np.random.Generator], Arrays]:
    def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
        return {name: values(workload.values, rng, int(workload.shape["N"]), precision)}

    return inputs


def small(
    symbol: str,
    signature: tuple[Parameter, ...],
    contract: Contract,
    reference: Callable[[Workload, Arrays], References],
    outputs: Callable[[Shape], Mapping[str, tuple[int, ...]]],
    **details: Any,
) -> Operator:
    usual: dict[str, Any] = {
        "workloads": sizes(1, 37, 1000),
        "inputs": one_vector("x"),
        "rounding": lambda workload, arrays, precision: {},
    }
    return Operator(
        name=symbol,
        symbol=symbol,
        title=symbol,
        category=Category.ALGEBRA,
        signature=signature,
        contract=contract,
        mathematics="for tests",
        source="tests",
        folder=Path(__file__).parent,
        reference=reference,
        outputs=outputs,
        flops=lambda shape: int(shape["N"]),
        dram_bytes=lambda shape, precision: 2 * precision.value_bytes * int(shape["N"]),
        weight=lambda shape: int(shape["N"]),
        **(usual | details),
    )


def _order(workload: Workload, arrays: Arrays) -> References:
    order = np.argsort(-arrays["x"].astype(np.float64), kind="stable")
    return {"sorted": arrays["x"].astype(np.float64)[order], "order": order.astype(np.float64)}


ORDER = small(
    "order",
    (
        output("sorted", "N"),
        output("order", "N", element=Element.INT32, nullable=True),
        tensor("x", "N"),
        size("N"),
    ),
    Contract.POISONED,
    _order,
    lambda shape: {"sorted": (int(shape["N"]),), "order": (int(shape["N"]),)},
    exact=True,
    workloads=(*sizes(1, 37, 300), *sizes(300, absent=("order",))),
)
"""Values in falling order, and where they stood; the places may be left out."""

NEGATE = small(
    "negate",
    (in_place("x", "N"), size("N")),
    Contract.IN_PLACE,
    lambda workload, arrays: {"x": -arrays["x"].astype(np.float64)},
    lambda shape: {"x": (int(shape["N"]),)},
    exact=True,
)
"""In place."""


STEP = small(
    "step",
    (in_place("x", "N"), output("before", "N"), size("N")),
    Contract.POISONED,
    lambda workload, arrays: {
        "x": -arrays["x"].astype(np.float64),
        "before": arrays["x"].astype(np.float64),
    },
    lambda shape: {"x": (int(shape["N"]),), "before": (int(shape["N"]),)},
    exact=True,
)
"""In place, with a further output."""


def _weighted(workload: Workload, arrays: Arrays) -> References:
    return {"total": np.array([_factor(workload) * arrays["x"].astype(np.float64).sum()])}


def _factor(workload: Workload) -> float:
    return float(workload.shape.get("factor", 0.5))


def _weighted_rounding(
    workload: Workload, arrays: Arrays, precision: Precision
) -> Mapping[str, tuple[Rounding, ...]]:
    scale = _factor(workload) * np.abs(arrays["x"].astype(np.float64)).sum()
    return {"total": (Rounding(int(workload.shape["N"]) + 1, np.array([scale])),)}


WEIGHTED_SUM = small(
    "weighted_sum",
    (
        output("total", "1", element=Element.FLOAT32),
        tensor("x", "N"),
        size("N"),
        scalar("factor", element=Element.VALUE, default=0.5),
    ),
    Contract.ZEROED,
    _weighted,
    lambda shape: {"total": (1,)},
    rounding=_weighted_rounding,
    workloads=(
        *sizes(1, 37, 1000, values="shifted"),
        Workload("check", {"N": 257, "factor": 0.25}, "shifted"),
    ),
)
"""One FP32 number in every precision, added into zeros; a scalar of the precision that may be left out."""
