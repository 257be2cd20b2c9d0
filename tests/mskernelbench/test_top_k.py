"""What passes and what fails as the k largest values and their indices, in both precisions."""

from collections.abc import Callable

import numpy as np
import pytest

from mskernelbench.catalog import load_operator
from mskernelbench.errors import BadShape
from mskernelbench.operator import Precision
from mskernelbench.shapes import parse_shape
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused

NAME = "top_k"
FP32 = Precision.FP32
both = pytest.mark.parametrize("precision", Precision)
Choose = Callable[[np.ndarray, int], np.ndarray]


def data(case: Case) -> np.ndarray:
    return case.arrays["input"].astype(np.float64)


def choosing(choose: Choose, keys: e.Round | None = None) -> Kernel:
    """Indices chosen by `choose` from the values, or from what `keys` makes of them; values read there."""

    def kernel(case: Case) -> np.ndarray:
        x = data(case)
        seen = x if keys is None else keys(x.astype(np.float32)).astype(np.float64)
        chosen = choose(seen, int(case.workload.shape["k"]))
        return x[chosen] if case.output == "values" else chosen

    return kernel


def stable(x: np.ndarray, k: int) -> np.ndarray:
    return np.argsort(-x, kind="stable")[:k]


def one_after_another(x: np.ndarray, k: int) -> np.ndarray:
    """The first largest of what is left, k times."""
    left, chosen = np.ones(len(x), bool), []
    for _ in range(k):
        largest = x[left].max()
        chosen.append(int(np.flatnonzero(left & (x == largest))[0]))
        left[chosen[-1]] = False
    return np.array(chosen)


def by_threshold(x: np.ndarray, k: int) -> np.ndarray:
    """All above the k-th largest value, then the first of those equal to it."""
    threshold = np.sort(x)[-k]
    above = np.flatnonzero(x > threshold)
    chosen = np.concatenate([above, np.flatnonzero(x == threshold)[: k - len(above)]])
    return chosen[np.lexsort((chosen, -x[chosen]))]


@both
@pytest.mark.parametrize("choose", [stable, one_after_another, by_threshold])
def test_honest_selections_pass(precision: Precision, choose: Choose) -> None:
    assert not refused(NAME, precision, choosing(choose))


def last_of_ties(x: np.ndarray, k: int) -> np.ndarray:
    return np.lexsort((-np.arange(len(x)), -x))[:k]


def ties_in_any_order_within(x: np.ndarray, k: int) -> np.ndarray:
    """The right indices, but each run of ties turned round."""
    chosen = stable(x, k)
    return chosen[np.lexsort((-chosen, -x[chosen]))]


@both
@pytest.mark.parametrize("choose", [last_of_ties, ties_in_any_order_within])
def test_ties_in_another_order_fail(precision: Precision, choose: Choose) -> None:
    assert len(refused(NAME, precision, choosing(choose))) >= 3


def repeated(x: np.ndarray, k: int) -> np.ndarray:
    """The k largest values, each found where it stands first: ties repeat an index."""
    return np.array([int(np.flatnonzero(x == value)[0]) for value in np.sort(x)[::-1][:k]])


@both
def test_indices_that_repeat_fail(precision: Precision) -> None:
    assert len(refused(NAME, precision, choosing(repeated))) >= 3


@both
def test_a_result_that_is_ascending_or_in_the_order_of_indices_fails(precision: Precision) -> None:
    for choose in (lambda x, k: stable(x, k)[::-1], lambda x, k: np.sort(stable(x, k))):
        assert len(refused(NAME, precision, choosing(choose))) >= 7


@both
def test_the_smallest_and_the_largest_in_magnitude_fail(precision: Precision) -> None:
    for choose in (lambda x, k: np.argsort(x, kind="stable")[:k], lambda x, k: stable(np.abs(x), k)):
        assert len(refused(NAME, precision, choosing(choose))) >= 8


@both
def test_a_search_that_starts_at_zero_fails(precision: Precision) -> None:
    assert refused(NAME, precision, choosing(lambda x, k: stable(np.maximum(x, 0), k)))


@both
def test_bits_compared_as_whole_numbers_fail(precision: Precision) -> None:
    def by_bits(case: Case) -> np.ndarray:
        whole = case.arrays["input"].view(f"u{case.arrays['input'].itemsize}").astype(np.float64)
        chosen = stable(whole, int(case.workload.shape["k"]))
        return data(case)[chosen] if case.output == "values" else chosen

    assert len(refused(NAME, precision, by_bits)) >= 8


@both
def test_plus_zero_before_minus_zero_fails(precision: Precision) -> None:
    """They are equal: the smaller index comes first."""

    def plus_first(x: np.ndarray, k: int) -> np.ndarray:
        return np.lexsort((np.arange(len(x)), np.signbit(x), -x))[:k]

    assert refused(NAME, precision, choosing(plus_first))


@both
@pytest.mark.parametrize("seen", [slice(None, -1), slice(1024), slice(1, None)])
def test_values_that_were_not_looked_at_fail(precision: Precision, seen: slice) -> None:
    def partial(x: np.ndarray, k: int) -> np.ndarray:
        hidden = np.full(len(x), -np.inf)
        hidden[seen] = x[seen]
        return stable(hidden, k)

    assert refused(NAME, precision, choosing(partial))


@both
@pytest.mark.parametrize("most", [4, 16])
def test_at_most_a_few_values_from_each_256_fails(precision: Precision, most: int) -> None:
    """Sorted data holds all the largest in one block."""

    def shared_out(x: np.ndarray, k: int) -> np.ndarray:
        blocks = [stable(x[i : i + 256], most) + i for i in range(0, len(x), 256)]
        kept = np.sort(np.concatenate(blocks))
        found = kept[stable(x[kept], k)]
        return np.concatenate([found, np.zeros(k - len(found), int)])

    assert len(refused(NAME, precision, choosing(shared_out))) >= 5


@both
@pytest.mark.parametrize("output", ["values", "indices"])
def test_one_output_alone_does_not_pass(precision: Precision, output: str) -> None:
    def half(case: Case) -> np.ndarray:
        right = case.answer.reference
        return right if case.output == output else np.zeros_like(right)

    assert len(refused(NAME, precision, half)) >= 10


@pytest.mark.parametrize("keys", [e.tf32, e.fp16, e.bf16])
def test_narrow_keys_fail_as_fp32(keys: e.Round) -> None:
    assert len(refused(NAME, FP32, choosing(stable, keys))) >= 3


def test_check_data_hold_all_of_the_vector_and_ties_beyond_the_last_place() -> None:
    shapes = [case.workload.shape for case in cases(NAME, FP32)]
    assert any(s["N"] == s["k"] > 1 for s in shapes)
    for case in cases(NAME, FP32):
        if case.output == "values" and case.workload.values == "few":
            assert (data(case) == case.answer.reference[-1]).sum() > case.workload.shape["k"] / 2


def test_more_values_than_there_are_cannot_be_asked_for() -> None:
    with pytest.raises(BadShape, match="k=20 is more than the N=10 values"):
        parse_shape(load_operator(NAME), "N=10,k=20")
    assert parse_shape(load_operator(NAME), "N=20,k=20").shape == {"N": 20, "k": 20}
