"""How a kernel's work grows with the operator's, told where one of its calls does not end in time."""

from collections.abc import Callable, Sequence

from mskernelbench.operator import Operator, Workload

LEAST = 2.0
"""Times the operations between two workloads that say how work grows."""
MORE = 1.5
"""Times the instructions over times the operations from which work grows faster than it must."""


def growth_words(
    operator: Operator, ended: Sequence[Workload], steps: Callable[[Workload], float]
) -> str | None:
    """What the two heaviest calls that `ended` say of it; None where it grows as the operator's does."""
    ranked = sorted(ended, key=lambda workload: operator.flops(workload.shape))[-2:]
    if len(ranked) < 2:
        return None
    light, heavy = ranked
    operations = operator.flops(heavy.shape) / operator.flops(light.shape)
    instructions = steps(heavy) / steps(light)
    if operations < LEAST or instructions < MORE * operations:
        return None
    return (
        f"its work grows faster than it must: from {light.label} to {heavy.label}, {operations:.3g} times "
        f"the operations, it takes {instructions:.3g} times the instructions; --shape judges it on your sizes"
    )
