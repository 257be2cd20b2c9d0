"""What gated linear units share: a·σ(β·a)·b at every element, its data and its rounding error."""

import numpy as np

from mskernelbench.distributions import Values, values
from mskernelbench.elementwise import (
    SPECIAL,
    FloatArray,
    activations,
    finite,
    logistic,
    logistic_error,
    units,
)
from mskernelbench.operator import Precision, Rounding

DEFINED = tuple(x for x in SPECIAL if x != -np.inf)
"""Special gates: −∞ would be multiplied by σ(−∞) = 0."""

PRODUCTS = 2.0
"""Error of the two products, in units of u."""


def draw(name: str, rng: np.random.Generator, count: int, precision: Precision) -> tuple[Values, Values]:
    """Gates of the distribution called `name` and values that go with them; never large together."""
    gate = activations(name, rng, count, precision, DEFINED)
    value = values("mixed" if name == "mixed" else "ordinary", rng, count, precision)
    return gate, value


def gated(gate: Values, value: Values, beta: float = 1.0) -> FloatArray:
    """gate·σ(β·gate)·value in float64."""
    a, b = gate.astype(np.float64), value.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        return a * logistic(beta * a) * b


def gated_rounding(
    gate: Values, value: Values, precision: Precision, beta: float = 1.0
) -> tuple[Rounding, ...]:
    """The logistic function's error, that of its argument where β is not 1, and the products'.

    Below −87 the logistic function is subnormal or lost, which the products after it enlarge.
    """
    a, b = finite(gate.astype(np.float64)), finite(value.astype(np.float64))
    x = beta * a
    argument = 0.0 if beta == 1 else np.abs(x) * logistic(-x)
    lost = 2.0**-148 / Precision.FP32.unit_roundoff * np.abs(a * b)
    relative = logistic_error(x, precision) + argument + PRODUCTS
    return units(relative * np.abs(gated(a, b, beta)) + lost)
