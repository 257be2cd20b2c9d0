"""Judges one kernel in one call, everything by name: what `from mskernelbench import evaluate` gives."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.device import Device
from mskernelbench.catalog import find_operator, find_precision
from mskernelbench.evaluation import Evaluation
from mskernelbench.operator import BaselineKind, Operator, Precision, Workload
from mskernelbench.referee import SETS, Referee


def evaluate(
    source: str,
    operator: Operator | str,
    precision: Precision | str,
    device: Device | str = "auto",
    *,
    entry: str | None = None,
    seed: int = 0,
    sets: Sequence[str] = SETS,
    shapes: Sequence[Workload] | None = None,
    baseline: BaselineKind | str = BaselineKind.FAIR,
) -> Evaluation:
    """The verdict on the `.cu` text `source`; see `Referee` for what the arguments mean.

    `operator`, `precision` and `device` may be names, as on the command line. A device that is named is
    closed again; to judge many kernels, open one and hand it in. Raises UnknownOperator, UnknownPrecision,
    UnknownDevice, EnvironmentLacks and BaselineBroken.
    """
    chosen = find_operator(operator).operator if isinstance(operator, str) else operator
    with _opened(device) as on:
        referee = Referee(
            on,
            chosen,
            find_precision(precision),
            seed=seed,
            sets=sets,
            shapes=shapes,
            baseline=BaselineKind(baseline),
        )
        return referee.evaluate(source, entry)


@contextmanager
def _opened(device: Device | str) -> Iterator[Device]:
    """The device itself, or the one of this name for as long as the block runs."""
    if not isinstance(device, str):
        yield device
        return
    opened = open_device(device)
    try:
        yield opened
    finally:
        opened.close()
