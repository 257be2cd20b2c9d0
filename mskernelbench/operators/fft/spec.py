"""fft: the discrete Fourier transform of a complex vector whose length is a power of two."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, probe_integers, values
from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Operator,
    Precision,
    Rounding,
    Shape,
    Workload,
    output,
    size,
    tensor,
)

FloatArray = NDArray[np.float64]
Signal = tuple[NDArray[Any], NDArray[Any]]

ROUNDINGS_A_STAGE = 2
"""A product with a root of unity and an addition, for each of the log₂ N stages."""


def shape(count: int) -> Shape:
    """The number of points."""
    return {"N": count}


CHECK = (
    Workload("check", shape(1)),
    Workload("check", shape(2)),
    Workload("check", shape(2), "integers", exact=True),
    Workload("check", shape(4), "shifted"),
    Workload("check", shape(8)),
    Workload("check", shape(16), "impulse"),
    Workload("check", shape(32), "mixed"),
    Workload("check", shape(64), "shifted"),
    Workload("check", shape(128), "real_part"),
    Workload("check", shape(256), "tone"),
    Workload("check", shape(512), "impulse"),
    Workload("check", shape(1024)),
    Workload("check", shape(2048), "mixed"),
    Workload("check", shape(4096), "real_part"),
    Workload("check", shape(8192), "impulse"),
    Workload("check", shape(131_072), "shifted"),
)
PAPER = tuple(Workload("paper", shape(2**power), "shifted") for power in (10, 11, 12, 13, 14))
REAL = tuple(Workload("real", shape(2**power), "shifted") for power in (16, 20, 23, 26))


def points(shape: Shape) -> int:
    """N."""
    return int(shape["N"])


def stages(shape: Shape) -> int:
    """log₂ N."""
    return points(shape).bit_length() - 1


def unfit(shape: Shape) -> str | None:
    """Other lengths than powers of two."""
    count = points(shape)
    return f"N={count} is not a power of two" if count & (count - 1) else None


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """Real and imaginary parts."""
    count = points(workload.shape)
    make = PROBES.get(workload.values)
    if make is not None:
        real, imag = make(count, precision, rng)
    else:
        real, imag = (values(workload.values, rng, count, precision) for _ in range(2))
    return {"in_real": real, "in_imag": imag}


def integers(count: int, precision: Precision, rng: np.random.Generator) -> Signal:
    """Whole numbers: of two points sum and difference are exact in FP32."""
    return probe_integers(rng, count, precision), probe_integers(rng, count, precision)


def impulse(count: int, precision: Precision, rng: np.random.Generator) -> Signal:
    """One point that is not zero: the spectrum is that number times every root of unity in turn."""
    real, imag = (np.zeros(count, precision.dtype) for _ in range(2))
    at = int(rng.integers(0, count // 2)) * 2 + 1
    real[at], imag[at] = full_mantissa(rng, 2, precision)
    return real, imag


def tone(count: int, precision: Precision, rng: np.random.Generator) -> Signal:
    """A number times 1, i, −1, −i, 1, …: the spectrum has one number, at N/4; all others cancel."""
    real, imag = full_mantissa(rng, 2, precision).astype(np.float32)
    turns = np.array([real, -imag, -real, imag], precision.dtype)
    return np.resize(turns, count), np.resize(np.roll(turns, 1), count)


def real_part(count: int, precision: Precision, rng: np.random.Generator) -> Signal:
    """A real signal with a mean, the imaginary part zeros of both signs: the spectrum is symmetric."""
    zeros = np.where(np.arange(count) % 2 == 0, 0.0, -0.0).astype(precision.dtype)
    return values("shifted", rng, count, precision), zeros


PROBES: Mapping[str, Callable[[int, Precision, np.random.Generator], Signal]] = {
    "integers": integers,
    "impulse": impulse,
    "tone": tone,
    "real_part": real_part,
}


def spectrum(arrays: Arrays) -> NDArray[np.complex128]:
    """The transform in float64."""
    signal = arrays["in_real"].astype(np.float64) + 1j * arrays["in_imag"].astype(np.float64)
    return np.fft.fft(signal)


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
    """Real and imaginary parts of the spectrum, in natural order."""
    transformed = spectrum(arrays)
    return {"out_real": transformed.real.copy(), "out_imag": transformed.imag.copy()}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """Two roundings in each stage, on the magnitudes that the stages pass on to a number of the spectrum."""
    scale = np.sqrt(passed_on(np.abs(spectrum(arrays)) ** 2))
    rounded = (Rounding(ROUNDINGS_A_STAGE * stages(workload.shape), scale),)
    return {"out_real": rounded, "out_imag": rounded}


def passed_on(energy: FloatArray) -> FloatArray:
    """Squared magnitude that rounding errors live on, from the spectrum's |X[k]|², for every k.

    After l of the L = log₂ N stages, whether they go on in time or in frequency, X[k] depends on N/2^l
    numbers. By Parseval's theorem their squares sum to E_l[k] = 2^l/N · Σ |X[k']|² over k' ≡ k modulo 2^l,
    and errors of u times each reach X[k] with factors of magnitude 1: an error of u·√(Σ_l E_l[k]). The mean
    of Σ_l E_l[k] over all k is ‖x‖₂²·L, on which the bound in section 24.1 of N. J. Higham, 2002, lives;
    where a signal has a mean, it is more at the few k that see it. At least ‖x‖₂²·L is granted everywhere,
    for algorithms that go on in another order.
    """
    count = len(energy)
    folded = [energy]
    while len(folded[-1]) > 2:
        folded.append(folded[-1].reshape(2, -1).sum(axis=0))
    total = np.zeros(1)
    for sums in reversed(folded if count > 1 else []):
        total = np.tile(total, len(sums) // len(total)) + len(sums) / count * sums
    norm = float(energy.sum()) / count
    most: FloatArray = np.maximum(total, norm * (count.bit_length() - 1))
    return most


def flops(shape: Shape) -> int:
    """Of the split-radix algorithm (R. Yavne, 1968): 4·N·log₂ N − 6·N + 8, nothing for a single point."""
    return 4 * points(shape) * stages(shape) - 6 * points(shape) + 8 if points(shape) > 1 else 0


OPERATOR = Operator(
    name="fft",
    symbol="FFT",
    title="Fast Fourier transform",
    category=Category.SCIENTIFIC,
    signature=(
        tensor("in_real", "N"),
        tensor("in_imag", "N"),
        output("out_real", "N, natural order"),
        output("out_imag", "N, natural order"),
        size("N"),
    ),
    contract=Contract.POISONED,
    mathematics=(
        "out[k] = Σ_n in[n]·exp(−2πi·k·n/N) for complex numbers in split arrays: forward, not normalised, "
        "natural order, N a power of two."
    ),
    source="N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapter 24",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"out_real": (points(shape),), "out_imag": (points(shape),)},
    reference=reference,
    rounding=rounding,
    flops=flops,
    dram_bytes=lambda shape, precision: 4 * precision.value_bytes * points(shape),
    weight=lambda shape: points(shape) * stages(shape),
    unfit=unfit,
)
