"""Values to places along an axis, evenly or by their logarithm, with ticks at round numbers."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cudamaster.agents.wording import quantity

WIDE = 8.0
"""From this ratio of the largest to the smallest value on, an axis is logarithmic."""
FACTORS = ((1,), (1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8))
"""Ticks within a decade, the sparsest first that give FEW."""
FEW = 3
MOST_DECADES = 8
"""A logarithmic axis of more has a tick at every second, or fewer."""


@dataclass(frozen=True, slots=True)
class Tick:
    """One mark of an axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from `low` at `start` to `high` at `end`."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool

    def at(self, value: float) -> float:
        """Where a value lies; beyond the ends, at the end."""
        value = min(max(value, self.low), self.high)
        if self.logarithmic:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self, write: Callable[[float], str] = quantity) -> list[Tick]:
        """Marks at round numbers."""
        values = _decades(self.low, self.high) if self.logarithmic else _steps(self.low, self.high)
        return [Tick(self.at(value), write(value)) for value in values]


def logarithmic(values: Iterable[float], start: float, end: float, room: float = 1.15) -> Scale:
    """A logarithmic axis over positive values, with a factor `room` at both ends."""
    known = list(values)
    return Scale(min(known) / room, max(known) * room, start, end, logarithmic=True)


def fitting(values: Iterable[float], start: float, end: float) -> Scale:
    """An axis over positive values: from 0 where they are near each other, else logarithmic."""
    known = list(values)
    if max(known) / min(known) >= WIDE:
        return logarithmic(known, start, end)
    return Scale(0.0, 1.08 * max(known), start, end, logarithmic=False)


def _decades(low: float, high: float) -> list[float]:
    """Powers of ten, with numbers between them where fewer than FEW would be left."""
    found: list[float] = []
    for factors in FACTORS:
        exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        every = max(1, math.ceil(math.log10(high / low) / MOST_DECADES))
        values = (factor * 10.0**n for n in exponents if n % every == 0 for factor in factors)
        found = [value for value in values if low <= value <= high]
        if len(found) >= FEW:
            break
    return found


def _steps(low: float, high: float) -> list[float]:
    rough = (high - low) / 5
    step = 10.0 ** math.floor(math.log10(rough))
    step = next(step * factor for factor in (1, 2, 5, 10) if step * factor >= rough)
    return [low + step * n for n in range(int((high - low) / step) + 1)]
