"""What passes and what fails as a fast Fourier transform, in both precisions."""

from collections.abc import Callable

import numpy as np
import pytest

from mskernelbench.operator import Precision
from mskernelbench.operators.fft.spec import flops, passed_on, shape
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

NAME = "fft"
FP32, BF16 = Precision.FP32, Precision.BF16
each_precision = pytest.mark.parametrize("precision", Precision)

Roots = Callable[[int], tuple[e.F32, e.F32]]


def exact_roots(half: int) -> tuple[e.F32, e.F32]:
    """exp(−πi·k/half) for k < half, rounded to FP32."""
    angle = np.pi * np.arange(half) / half
    return np.cos(angle).astype(np.float32), (-np.sin(angle)).astype(np.float32)


def roots_of_rounded_angles(half: int) -> tuple[e.F32, e.F32]:
    angle = np.float32(-np.pi) * np.arange(half, dtype=np.float32) / np.float32(half)
    return np.cos(angle), np.sin(angle)


def narrow_roots(narrow: e.Round) -> Roots:
    def roots(half: int) -> tuple[e.F32, e.F32]:
        cosine, sine = exact_roots(half)
        return narrow(cosine), narrow(sine)

    return roots


def reversed_order(count: int) -> np.ndarray:
    order = np.zeros(1, int)
    while len(order) < count:
        order = np.concatenate([2 * order, 2 * order + 1])
    return order


Parts = tuple[e.F32, e.F32]


def times(x: Parts, roots: Parts) -> Parts:
    return x[0] * roots[0] - x[1] * roots[1], x[0] * roots[1] + x[1] * roots[0]


def in_time(x: Parts, roots: Roots, keep: e.Round) -> Parts:
    """Bit-reversed points combined from groups of two up to all."""
    count = len(x[0])
    order = reversed_order(count)
    real, imag = x[0][order], x[1][order]
    half = 1
    while half < count:
        upper, lower = ((real.reshape(-1, 2, half)[:, i], imag.reshape(-1, 2, half)[:, i]) for i in (0, 1))
        turned = times(lower, roots(half))
        real, imag = (
            keep(np.stack([u + t, u - t], axis=1).ravel()) for u, t in zip(upper, turned, strict=True)
        )
        half *= 2
    return real, imag


def in_frequency(x: Parts, roots: Roots, keep: e.Round) -> Parts:
    """Halves combined from all points down to groups of two, bit-reversed at the end."""
    (real, imag), half = x, len(x[0]) // 2
    while half >= 1:
        a, b = ((real.reshape(-1, 2, half)[:, i], imag.reshape(-1, 2, half)[:, i]) for i in (0, 1))
        turned = times((a[0] - b[0], a[1] - b[1]), roots(half))
        real, imag = (
            keep(np.stack([u + v, t], axis=1).ravel()) for u, v, t in zip(a, b, turned, strict=True)
        )
        half //= 2
    order = reversed_order(len(real))
    return real[order], imag[order]


Algorithm = Callable[[Parts, Roots, e.Round], Parts]


def transform(
    algorithm: Algorithm = in_time,
    roots: Roots = exact_roots,
    operand: e.Round = e.fp32,
    keep: e.Round = e.fp32,
) -> Kernel:
    def kernel(case: Case) -> e.F32:
        parts = tuple(operand(case.arrays[name].astype(np.float32)) for name in ("in_real", "in_imag"))
        real, imag = algorithm((parts[0], parts[1]), roots, keep)
        return real if case.output == "out_real" else imag

    return kernel


def altered(change: Callable[[np.ndarray], np.ndarray]) -> Kernel:
    """The right spectrum as `change` alters it."""

    def kernel(case: Case) -> np.ndarray:
        signal = case.arrays["in_real"].astype(np.float64) + 1j * case.arrays["in_imag"].astype(np.float64)
        spectrum = change(np.fft.fft(signal))
        return np.asarray(spectrum.real if case.output == "out_real" else spectrum.imag)

    return kernel


@pytest.mark.parametrize("algorithm", [in_time, in_frequency])
@pytest.mark.parametrize("roots", [exact_roots, roots_of_rounded_angles])
def test_fp32_transforms_stay_below_half_the_bound_also_with_roots_of_rounded_angles(
    algorithm: Algorithm, roots: Roots
) -> None:
    assert worst(NAME, FP32, transform(algorithm, roots)) <= 0.5


@pytest.mark.parametrize("algorithm", [in_time, in_frequency])
def test_bf16_points_with_fp32_arithmetic_pass(algorithm: Algorithm) -> None:
    assert not refused(NAME, BF16, transform(algorithm))


@pytest.mark.parametrize("count", [4, 256, 1024])
def test_the_plain_sum_in_fp32_passes(count: int) -> None:
    chosen = [case for case in cases(NAME, FP32) if case.workload.shape["N"] == count]
    assert chosen
    for case in chosen:
        product = np.outer(np.arange(count), np.arange(count)) % count * (2 * np.pi / count)
        cosine, sine = np.cos(product).astype(np.float32), np.sin(product).astype(np.float32)
        real, imag = (case.arrays[name].astype(np.float32) for name in ("in_real", "in_imag"))
        sums = {"out_real": cosine @ real + sine @ imag, "out_imag": cosine @ imag - sine @ real}
        assert case.compare(sums[case.output]).right, case.label


@pytest.mark.parametrize("narrow", [e.tf32, e.fp16, e.bf16])
def test_narrow_points_roots_and_sums_fail_as_fp32(narrow: e.Round) -> None:
    most = len({case.workload.label for case in cases(NAME, FP32)}) - 5
    assert len(refused(NAME, FP32, transform(operand=narrow))) >= most
    assert len(refused(NAME, FP32, transform(roots=narrow_roots(narrow)))) >= most
    assert len(refused(NAME, FP32, transform(keep=narrow))) >= most


def test_two_bf16_terms_of_the_roots_fail_as_fp32() -> None:
    def two_terms(x: e.F32) -> e.F32:
        first = e.bf16(x)
        return first + e.bf16(x - first)

    assert len(refused(NAME, FP32, transform(roots=narrow_roots(two_terms)))) >= 5


def test_bf16_between_the_stages_fails_as_bf16() -> None:
    assert len(refused(NAME, BF16, transform(keep=e.bf16))) >= 8


@each_precision
def test_the_inverse_a_normalised_and_a_shifted_spectrum_fail(precision: Precision) -> None:
    many = len({case.workload.label for case in cases(NAME, precision)}) - 4
    assert len(refused(NAME, precision, altered(np.conj))) >= many - 1
    assert len(refused(NAME, precision, altered(lambda x: x / len(x)))) >= many
    assert len(refused(NAME, precision, altered(lambda x: x / np.sqrt(len(x))))) >= many
    assert len(refused(NAME, precision, altered(lambda x: np.fft.fftshift(x)))) >= many


@each_precision
def test_a_spectrum_in_bit_reversed_order_and_one_with_a_wrong_number_fail(precision: Precision) -> None:
    def one_wrong(spectrum: np.ndarray) -> np.ndarray:
        bent = spectrum.copy()
        bent[-1] += 0.05 * np.sqrt(np.mean(np.abs(spectrum) ** 2))
        return bent

    labels = len({case.workload.label for case in cases(NAME, precision)})
    assert len(refused(NAME, precision, altered(lambda x: x[reversed_order(len(x))]))) >= labels - 5
    assert len(refused(NAME, precision, altered(one_wrong))) >= labels - 3


def test_errors_live_on_the_norm_in_the_mean_and_on_more_where_a_mean_is_seen() -> None:
    rng = np.random.default_rng(1)
    signal = rng.random(256)
    scale = passed_on(np.abs(np.fft.fft(signal)) ** 2)
    least = float(signal @ signal) * 8
    assert scale.min() >= least * (1 - 1e-12)
    assert scale[[0, 128, 64, 192]].min() > 30 * least / 8
    assert np.median(scale) == pytest.approx(least)
    assert passed_on(np.array([9.0])).tolist() == [0.0]


def test_two_and_four_points_take_additions_only() -> None:
    assert [flops(shape(count)) for count in (1, 2, 4)] == [0, 4, 16]
