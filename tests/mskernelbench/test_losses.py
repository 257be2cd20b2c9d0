"""What passes and what fails as a loss, in both precisions."""

from collections.abc import Callable

import numpy as np
import pytest

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

FP32, BF16 = Precision.FP32, Precision.BF16
both = pytest.mark.parametrize("precision", Precision)
SUMS = ["mse_loss", "cross_entropy_loss"]
ONE = np.float32(1)

Terms = Callable[[e.F32, e.F32], e.F32]


def logf(x: e.F32) -> e.F32:
    return np.log(x.astype(np.float64)).astype(np.float32)


def squares(x: e.F32, y: e.F32) -> e.F32:
    return (x - y) * (x - y)


def entropies(x: e.F32, y: e.F32) -> e.F32:
    return -y * logf(np.maximum(x, np.float32(1e-8)))


TERMS: dict[str, Terms] = {"mse_loss": squares, "cross_entropy_loss": entropies}


def loss(
    name: str,
    operand: e.Round = e.fp32,
    add: e.Sum = e.pairwise,
    terms: Terms | None = None,
    kept: slice = slice(None),
    divisor: Callable[[int], float] = float,
) -> Kernel:
    """A sum of FP32 terms, divided by their number for `mse_loss`."""

    def kernel(case: Case) -> e.F32:
        x, y = (operand(case.arrays[tensor].astype(np.float32)) for tensor in "XY")
        with np.errstate(all="ignore"):
            total = add((terms or TERMS[name])(x, y)[None, kept])
            return total / np.float32(divisor(len(x))) if name == "mse_loss" else total

    return kernel


def strided(terms: e.F32) -> e.F32:
    """256 threads of a grid, each summing along its stride; then a tree."""
    padded = np.pad(terms, ((0, 0), (0, -terms.shape[-1] % 256))).reshape(len(terms), -1, 256)
    return e.pairwise(e.sequential(np.swapaxes(padded, 1, 2)))


@pytest.mark.parametrize("add", [e.pairwise, strided])
@both
@pytest.mark.parametrize("name", SUMS)
def test_fp32_sums_pass(name: str, precision: Precision, add: e.Sum) -> None:
    assert worst(name, precision, loss(name, add=add)) <= 0.5


@both
@pytest.mark.parametrize("name", SUMS)
def test_one_thread_after_another_passes(name: str, precision: Precision) -> None:
    def sequential(terms: e.F32) -> e.F32:
        return np.add.accumulate(terms, axis=-1)[:, -1]

    assert not refused(name, precision, loss(name, add=sequential))


@both
def test_every_term_may_be_divided_by_n(precision: Precision) -> None:
    def divided(case: Case) -> e.F32:
        x, y = (case.arrays[tensor].astype(np.float32) for tensor in "XY")
        return e.pairwise((squares(x, y) / np.float32(len(x)))[None, :])

    assert not refused("mse_loss", precision, divided)


@pytest.mark.parametrize("narrow", [e.tf32, e.fp16, e.bf16])
@pytest.mark.parametrize("name", SUMS)
def test_narrow_operands_fail_as_fp32(name: str, narrow: e.Round) -> None:
    assert len(refused(name, FP32, loss(name, narrow))) >= 5


@both
@pytest.mark.parametrize("name", SUMS)
def test_a_bf16_accumulator_or_bf16_terms_fail(name: str, precision: Precision) -> None:
    def rounded(terms: e.F32) -> e.F32:
        return e.pairwise(e.bf16(terms))

    def accumulated(terms: e.F32) -> e.F32:
        return e.sequential(terms[:, :4200], keep=e.bf16) + e.pairwise(terms[:, 4200:])

    assert len(refused(name, precision, loss(name, add=rounded))) >= 5
    assert len(refused(name, precision, loss(name, add=accumulated))) >= 6


@both
@pytest.mark.parametrize("name", SUMS)
def test_a_dropped_last_term_or_ragged_tail_fails(name: str, precision: Precision) -> None:
    assert len(refused(name, precision, loss(name, kept=slice(-1)))) >= 6

    def whole_blocks(case: Case) -> e.F32:
        count = len(case.arrays["X"]) // 256 * 256
        return loss(name, kept=slice(count))(case)

    assert len(refused(name, precision, whole_blocks)) >= 6


@both
@pytest.mark.parametrize("name", SUMS)
def test_only_what_one_block_holds_fails(name: str, precision: Precision) -> None:
    assert len(refused(name, precision, loss(name, kept=slice(1024)))) >= 3


@both
@pytest.mark.parametrize("name", SUMS)
def test_a_result_off_by_a_hundred_ulp_fails(name: str, precision: Precision) -> None:
    def off(case: Case) -> np.ndarray:
        return case.answer.reference * (1 + 100 * 2.0**-23)

    assert len(refused(name, precision, off)) >= 7


@both
@pytest.mark.parametrize(
    ("wrong", "divisor"),
    [
        (squares, lambda n: 1.0),
        (squares, lambda n: max(n - 1, 1)),
        (lambda x, y: np.abs(x - y), float),
        (lambda x, y: np.float32(0.5) * squares(x, y), float),
    ],
    ids=["sum", "n_minus_1", "absolute", "half"],
)
def test_another_mean_fails(precision: Precision, wrong: Terms, divisor: Callable[[int], float]) -> None:
    assert len(refused("mse_loss", precision, loss("mse_loss", terms=wrong, divisor=divisor))) >= 2


def test_an_expanded_square_that_cancels_fails_as_fp32() -> None:
    def expanded(x: e.F32, y: e.F32) -> e.F32:
        return x * x - np.float32(2) * x * y + y * y

    assert refused("mse_loss", FP32, loss("mse_loss", terms=expanded))


@both
@pytest.mark.parametrize(
    "wrong",
    [
        lambda x, y: -y * logf(x),
        lambda x, y: -y * logf(x + np.float32(1e-8)),
        lambda x, y: -y * logf(np.maximum(x, np.float32(1e-7))),
        lambda x, y: -x * logf(np.maximum(y, np.float32(1e-8))),
        lambda x, y: -y * np.log2(np.maximum(x, np.float32(1e-8))),
        lambda x, y: -y * logf(np.maximum(x, np.float32(1e-8))) - (1 - y) * logf(1 - np.minimum(x, ONE / 2)),
    ],
    ids=["not_clamped", "shifted", "other_clamp", "exchanged", "binary_digits", "both_classes"],
)
def test_another_entropy_fails(precision: Precision, wrong: Terms) -> None:
    assert len(refused("cross_entropy_loss", precision, loss("cross_entropy_loss", terms=wrong))) >= 1


@both
def test_a_fast_logarithm_fails_near_one(precision: Precision) -> None:
    """`__logf` is off by 2^-21.41 between 1/2 and 2."""

    def fast(x: e.F32, y: e.F32) -> e.F32:
        return -y * (logf(np.maximum(x, np.float32(1e-8))) + np.float32(2.0**-21.5))

    wrong = refused("cross_entropy_loss", precision, loss("cross_entropy_loss", terms=fast))
    assert any("one_hot" in label for label in wrong)


def hinge(
    sign: Callable[[np.ndarray], np.ndarray] = lambda targets: np.where(targets == 1, 1, -1),
    operand: e.Round = e.fp32,
    result: e.Round = e.fp32,
) -> Kernel:
    def kernel(case: Case) -> e.F32:
        y = sign(case.arrays["targets"]).astype(np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            margin = ONE - y * operand(case.arrays["predictions"].astype(np.float32))
        return result(np.maximum(margin, np.float32(0)))

    return kernel


@both
def test_the_hinge_in_fp32_passes(precision: Precision) -> None:
    assert not refused("hinge_loss", precision, hinge())


@pytest.mark.parametrize("narrow", [e.tf32, e.fp16, e.bf16])
def test_a_hinge_of_narrow_numbers_fails_as_fp32(narrow: e.Round) -> None:
    assert len(refused("hinge_loss", FP32, hinge(operand=narrow))) >= 7
    assert len(refused("hinge_loss", FP32, hinge(result=narrow))) >= 7


@both
@pytest.mark.parametrize(
    "sign",
    [
        lambda t: np.clip(t.astype(np.int64), -1, 1),
        lambda t: np.where(t > 0, 1, -1),
        lambda t: np.where(t == 1, -1, 1),
        lambda t: t.astype(np.float32),
    ],
    ids=["sign", "positive", "inverted", "target_itself"],
)
def test_another_sign_fails(precision: Precision, sign: Callable[[np.ndarray], np.ndarray]) -> None:
    assert len(refused("hinge_loss", precision, hinge(sign))) >= 6


@both
def test_a_hinge_that_is_squared_unclipped_or_off_by_eight_ulp_fails(precision: Precision) -> None:
    def squared(case: Case) -> np.ndarray:
        return case.answer.reference**2

    def unclipped(case: Case) -> np.ndarray:
        y = np.where(case.arrays["targets"] == 1, 1, -1)
        return 1 - y * case.arrays["predictions"].astype(np.float64)

    def one_off(case: Case) -> np.ndarray:
        answer = case.answer.reference.astype(case.dtype)
        at = int(np.argmax(np.where(np.isfinite(case.answer.reference), case.answer.reference, 0)))
        return np.where(np.arange(answer.size) == at, np.float64(answer[at]) * (1 + 16 * unit), answer)

    unit = precision.unit_roundoff
    assert len(refused("hinge_loss", precision, squared)) >= 7
    assert len(refused("hinge_loss", precision, unclipped)) >= 7
    assert len(refused("hinge_loss", precision, one_off)) == len(cases("hinge_loss", precision))
