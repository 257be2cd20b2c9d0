"""Judges one kernel: the referee in one call."""

from collections.abc import Sequence

from cudamaster.toolchain.device import Device
from mskernelbench.evaluation import Evaluation
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.referee import SETS, Referee


def evaluate(
    source: str,
    operator: Operator,
    precision: Precision,
    device: Device,
    *,
    entry: str | None = None,
    seed: int = 0,
    sets: Sequence[str] = SETS,
    shapes: Sequence[Workload] | None = None,
) -> Evaluation:
    """The verdict on the `.cu` text `source`; see `Referee` for what the arguments mean."""
    referee = Referee(device, operator, precision, seed=seed, sets=sets, shapes=shapes)
    return referee.evaluate(source, entry)
