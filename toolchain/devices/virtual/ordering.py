"""Whether a kernel's answer may depend on the order of its threads: a look at its PTX."""

import re

ORDERED_BY_CHANCE = re.compile(
    r"\b(?:atom|red)\.[\w.:]*?\.(?:f16x2|bf16x2|f16|bf16|f32|f64|cas)\b|\batom\.\S*cas\."
)


def rounds_in_any_order(ptx: str) -> bool:
    """Whether `ptx` adds floating-point numbers atomically, directly or by compare-and-swap loops.

    Such sums round differently in every order, on hardware too.
    """
    return ORDERED_BY_CHANCE.search(ptx) is not None
