"""Tokens of a call, and what they cost."""

from dataclasses import dataclass

MILLION = 1e6


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as the server counted them."""

    input_tokens: int = 0
    """All tokens read, cached ones included."""
    cached_tokens: int = 0
    """Of these, read from the server's cache."""
    output_tokens: int = 0
    """Tokens written, thinking included."""

    @property
    def total(self) -> int:
        """Tokens read and written."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    cached_input: float
    output: float
    as_of: str = ""
    """The day on which a price list said so, where the file names one."""

    def cost_usd(self, usage: Usage) -> float:
        """What these tokens cost."""
        fresh = usage.input_tokens - usage.cached_tokens
        dollars = fresh * self.input + usage.cached_tokens * self.cached_input
        return (dollars + usage.output_tokens * self.output) / MILLION
