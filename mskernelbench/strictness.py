"""Tries wrong answers on an operator's comparison, and the right one: which verdicts are not as they must be.

An output of one element holds little: there a wrong kernel must be refused on a quarter of the workloads at
least, elsewhere on every one whose answer is more than zeros or one number.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.answers import draw_inputs
from mskernelbench.cases import Case, Kernel, check_cases
from mskernelbench.operator import Operator, Precision
from mskernelbench.poison import poisoned

LEAST_SHARE = 0.25
"""Of the workloads on which a wrong answer of one element must be refused."""
LEAST_SPREAD = 0.05
"""How far apart an answer's elements lie at least, by the largest, so that a constant can be told from it."""

Cases = Sequence[Case]
Floats = NDArray[np.float64]
Trial = Callable[[Cases, Precision], Iterator[str]]


def complaints(operator: Operator, precision: Precision, seed: int = 1) -> list[str]:
    """Sentences about wrong answers that pass and right ones that fail, on the check workloads."""
    cases = tuple(check_cases(operator, precision, seed))
    return [said for trial in TRIALS for said in trial(cases, precision)]


def right(cases: Cases, precision: Precision) -> Iterator[str]:
    """The rounded float64 answer passes."""
    for case in cases:
        if not case.compare(case.answer.reference).right:
            yield f"the right answer is refused ({case.label})"


def constants(cases: Cases, precision: Precision) -> Iterator[str]:
    """Zeros, ones and the mean fail."""
    yield from passing("zeros pass", cases, lambda case: np.zeros_like(case.answer.reference))
    yield from passing("ones pass", cases, lambda case: np.ones_like(case.answer.reference))
    wide = {case.output for case in cases if not is_single(case)}
    of_many = [case for case in cases if case.output in wide]
    yield from passing("the mean of the answer passes", of_many, mean)


def mean(case: Case) -> Floats:
    """The mean of the answer's numbers, everywhere; 0 where it has none."""
    numbers = case.answer.reference[~np.isnan(case.answer.reference)]
    with np.errstate(invalid="ignore", over="ignore"):
        return np.full_like(case.answer.reference, numbers.mean() if numbers.size else 0.0)


def copies(cases: Cases, precision: Precision) -> Iterator[str]:
    """An input copied to an output fails, unless that is the operator: the answer is the input."""
    for output in dict.fromkeys(case.output for case in cases):
        own = [case for case in cases if case.output == output]
        for tensor in own[0].arrays:
            if own[0].operator.exact and all(same(c.answer.reference, copied(c, tensor)) for c in own):
                continue
            if all(case.compare(copied(case, tensor)).right for case in own):
                yield f"the input {tensor} passes as the output {output}"


def copied(case: Case, tensor: str) -> NDArray[Any]:
    """The input `tensor`, repeated or cut to the output's size."""
    source, dimensions = case.arrays[tensor], case.answer.reference.shape
    return np.resize(source, dimensions) if source.size else np.ones(dimensions)


def other_seeds(cases: Cases, precision: Precision) -> Iterator[str]:
    """The answer to another seed fails where it differs: some (A⁰, the order of sorted data) do not."""
    differing: list[str] = []
    passed: list[Case] = []
    asked = 0
    groups = by_workload(cases)
    for label, group in groups.items():
        stale = answer_to_another_seed(group[0], precision)
        if all(same(stale[case.output], case.answer.reference) for case in group):
            continue
        differing.append(label)
        if all(map(is_single, group)) or any(map(interesting, group)):
            asked += 1
            passed += group[:1] if all(case.compare(stale[case.output]).right for case in group) else []
    if len(differing) <= len(groups) / 2:
        yield f"another seed changes the answers of {len(differing)} of {len(groups)} workloads only"
    few = len(passed) <= (1 - LEAST_SHARE) * asked
    for case in passed:
        if not (few and is_single(case)):
            yield f"the answer to another seed passes ({case.label})"


def answer_to_another_seed(case: Case, precision: Precision) -> "dict[str, Floats]":
    """The float64 answers of the case's workload on other data."""
    other = draw_inputs(case.operator, case.workload, precision, seed=2)
    return dict(case.operator.reference(case.workload, other))


def tails(cases: Cases, precision: Precision) -> Iterator[str]:
    """An unwritten last element fails everywhere."""
    for case in cases:
        if case.answer.reference.size and case.compare(without_last(case)).right:
            yield f"an unwritten last element passes ({case.label})"


def without_last(case: Case) -> Floats:
    """The right answer but for the last element, which holds what it held before; 0 where that is right."""
    answer = case.answer.reference.copy()
    answer.flat[-1:] = 0.0 if np.isnan(answer.flat[-1]) else float(poisoned((1,), case.dtype)[0])
    return answer


def narrow_outputs(cases: Cases, precision: Precision) -> Iterator[str]:
    """An FP32 output rounded to BF16 fails where that changes it."""
    if precision is not Precision.FP32:
        return
    floats = [case for case in cases if case.dtype == np.float32]
    changed = [case for case in floats if not same(rounded_to_bf16(case), case.answer.reference)]
    if floats and not changed:
        yield "rounding to BF16 changes no answer: no workload can tell the two precisions apart"
    yield from passing("an output rounded to BF16 passes", changed, rounded_to_bf16)


def rounded_to_bf16(case: Case) -> Floats:
    """The answer with 8 significant bits."""
    return case.answer.reference.astype(Precision.BF16.dtype).astype(np.float64)


TRIALS: tuple[Trial, ...] = (right, constants, copies, other_seeds, tails, narrow_outputs)


def passing(what: str, cases: Cases, kernel: Kernel) -> list[str]:
    """`what` with the label of every case in which a wrong `kernel` passes and must not."""
    passed = [case for case in cases if case.outcome(kernel).right]
    if cases and all(map(is_single, cases)):
        allowed = len(passed) <= (1 - LEAST_SHARE) * len(cases)
        return [] if allowed else [f"{what} ({case.label})" for case in passed]
    return [f"{what} ({case.label})" for case in passed if interesting(case)]


def interesting(case: Case) -> bool:
    """Whether the answer is more than zeros or one number, so that a constant can be told from it."""
    numbers = case.answer.reference[np.isfinite(case.answer.reference)]
    return numbers.size > 1 and float(np.ptp(numbers)) > LEAST_SPREAD * float(np.abs(numbers).max())


def is_single(case: Case) -> bool:
    """Whether the output is one element."""
    return case.answer.reference.size == 1


def same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays are equal, NaN where NaN is."""
    return np.array_equal(one, other, equal_nan=True)


def by_workload(cases: Cases) -> dict[str, list[Case]]:
    """The cases of every workload, by its label."""
    grouped: dict[str, list[Case]] = {}
    for case in cases:
        grouped.setdefault(case.workload.label, []).append(case)
    return grouped
