"""Numbers, shapes and sources in words, as prompts show them."""

from collections.abc import Callable, Mapping
from typing import Any

PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
COUNTED = ("byte", "instruction", "request", "wavefront")
"""Units that take a plural."""


def scaled(value: float, unit: str) -> str:
    """A quantity with its SI prefix: `4.8 TB/s`."""
    size, prefix = next(((size, prefix) for size, prefix in PREFIXES if value >= size), (1.0, ""))
    return f"{value / size:.4g} {prefix}{unit}"


def figure(value: float) -> str:
    """A number with three digits, large ones with a prefix: `0.0312`, `12.5`, `1.05 M`."""
    if abs(value) < 1e4:
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    return scaled(value, "").strip()


def quantity(value: float, unit: str = "") -> str:
    """A number as people write it, never with an exponent, and its unit: `20000 requests`, `0.31 ms`."""
    text = f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    if "e" in text:
        text = f"{value:.9f}".rstrip("0").rstrip(".")
    plural = unit in COUNTED and value != 1
    return f"{text} {unit}{'s' if plural else ''}".rstrip()


def shape_words(shape: Mapping[str, int | float]) -> str:
    """A shape in one line: `M=64, N=2048`."""
    return ", ".join(f"{name}={value}" for name, value in shape.items())


def numbered(source: str) -> str:
    """A source with line numbers, since verdicts name lines."""
    lines = source.rstrip().splitlines()
    width = len(str(len(lines)))
    return "\n".join(f"{number:>{width}} | {line}" for number, line in enumerate(lines, 1))


FILTERS: dict[str, Callable[..., Any]] = {
    "scaled": scaled,
    "figure": figure,
    "shape": shape_words,
    "numbered": numbered,
}
"""What templates may call."""
