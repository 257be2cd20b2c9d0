"""Judges what must be accepted, on three seeds: honest kernels, baselines, strategies of the built-in expert.

    python -m tests.gauntlet.controls honest
    python -m tests.gauntlet.controls baselines relu softmax
    python -m tests.gauntlet.controls strategies softmax

Names pick operators; without any all are judged, which takes an hour. Whatever is not accepted is printed
with its reason and makes the exit code 1.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby

from cudamaster.agents.builtin.catalog import strategies_for
from cudamaster.agents.builtin.rendering import render_kernel
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from mskernelbench.catalog import load_operator, operator_names
from mskernelbench.errors import BaselineMissing
from mskernelbench.operator import BaselineKind, Operator, Precision
from tests.gauntlet.judging import GPU, opened
from tests.gauntlet.kernels import SECONDS, GauntletKernel, honest

SEEDS = (1, 2, 3)


def control(name: str, operator: Operator, precision: Precision, source: str) -> GauntletKernel:
    """One of our own kernels, to be checked."""
    return GauntletKernel(name, name, operator.name, str(precision), ("check",), SECONDS, source)


def baselines(operator: Operator, precision: Precision) -> Iterator[GauntletKernel]:
    """The fair one, and the published one where there is one."""
    for kind in BaselineKind:
        with suppress(BaselineMissing):
            source = operator.baseline(precision, kind)
            yield control(f"{operator.name} {precision} {kind} baseline", operator, precision, source)


def strategies(operator: Operator, precision: Precision) -> Iterator[GauntletKernel]:
    """Every strategy in the setting that it proposes first."""
    spec, entry = load_gpu(GPU).device, operator.entry_symbol(precision)
    for strategy in strategies_for(operator, precision):
        setting = strategy.default(precision, spec)
        if setting is not None:
            source = render_kernel(
                strategy, setting, operator=operator, precision=precision, entry=entry, spec=spec
            )
            yield control(f"{operator.name} {precision} {strategy.name}", operator, precision, source)


def chosen(kind: str, names: Sequence[str]) -> Iterator[GauntletKernel]:
    """All kernels of this kind for these operators."""
    if kind == "honest":
        yield from (kernel for kernel in honest() if not names or kernel.operator in names)
        return
    make = {"baselines": baselines, "strategies": strategies}[kind]
    for name in names or operator_names():
        for precision in Precision:
            yield from make(load_operator(name), precision)


def main(kind: str, names: Sequence[str]) -> bool:
    """Judge them; whether all were accepted."""
    count = refused = 0
    for _, kernels in groupby(chosen(kind, names), lambda kernel: kernel.operator):
        with opened() as gauntlet:  # with an operator's inputs and answers, for as long as they are wanted
            for kernel in kernels:
                evaluations = [gauntlet.judge(kernel, seed=seed) for seed in SEEDS]
                reasons = [evaluation.reason for evaluation in evaluations if not evaluation.correct]
                count, refused = count + 1, refused + bool(reasons)
                print(kernel.name, "refused:" if reasons else "accepted", *reasons[:1], flush=True)
    print(f"{count - refused} of {count} accepted on {len(SEEDS)} seeds")
    return not refused


def parser() -> argparse.ArgumentParser:
    """What the command line may say."""
    made = argparse.ArgumentParser(prog="python -m tests.gauntlet.controls", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("kind", choices=("honest", "baselines", "strategies"), help="what is judged")
    made.add_argument("operators", nargs="*", help="by name; all of them without any", metavar="operator")
    return made


if __name__ == "__main__":
    given = parser().parse_args()
    sys.exit(0 if main(given.kind, given.operators) else 1)
