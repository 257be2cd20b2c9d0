"""Whether a kernel's answer may depend on the order of its threads: a look at its PTX."""

import re

ORDERED_BY_CHANCE = re.compile(
    r"\b(?:atom|red)\.[\w.:]*?\.(?:f16x2|bf16x2|f16|bf16|f32|f64|cas)\b|\batom\.\S*cas\."
)
OTHER_BLOCKS_SO_FAR = re.compile(r"\bld\.(?:(?:relaxed|acquire)\.(?:gpu|sys)|volatile\.global)\.")
"""Loads of what blocks that run at the same time may or may not have stored."""
FLOAT_SUM = re.compile(r"\b(?:add|fma)\.(?:\w+\.)*(?:f32|f64|f16x2|bf16x2|f16|bf16)\b")


def rounds_in_any_order(ptx: str) -> bool:
    """Whether `ptx` adds floating-point numbers atomically, by compare-and-swap loops, or in a look-back.

    Such sums round differently in every order, on hardware too. A look-back, as in a scan of one pass, adds
    up what earlier blocks have stored so far: some their own sum, some that of all before them.
    """
    if ORDERED_BY_CHANCE.search(ptx):
        return True
    return bool(OTHER_BLOCKS_SO_FAR.search(ptx) and FLOAT_SUM.search(ptx))
