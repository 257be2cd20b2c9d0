"""Whether a kernel's answer may depend on the order of its threads: a look at its PTX."""

import re
from collections.abc import Collection

ORDERED_BY_CHANCE = re.compile(
    r"\b(?:atom|red)\.[\w.:]*?\.(?:f16x2|bf16x2|f16|bf16|f32|f64|cas)\b|\batom\.\S*cas\."
)
OTHER_BLOCKS_SO_FAR = re.compile(r"\bld\.(?:(?:relaxed|acquire)\.(?:gpu|sys)|volatile\.global)\.")
"""Loads of what blocks that run at the same time may or may not have stored."""
TICKET = re.compile(r"\batom\.")
"""Atomics whose answer is used: it may say in which place something is put."""
FLOAT_SUM = re.compile(r"\b(?:add|fma)\.(?:\w+\.)*(?:f32|f64|f16x2|bf16x2|f16|bf16)\b")

FUNCTION = re.compile(
    r"^[^\n/]*?\.(?:entry|func)\b\s*(?:\([^)]*\)\s*)?(?P<name>[\w$]+)[^{;]*(?:;|\{.*?^\})",
    re.MULTILINE | re.DOTALL,
)
"""A kernel or a function, as nvcc writes it down: whole, or announced."""


def reached(ptx: str, kernels: Collection[str] | None) -> str:
    """The text of these kernels and of what they may call; all of `ptx` where nobody knows which they are.

    What is no function's text may hold their addresses, and counts too.
    """
    if kernels is None:
        return ptx
    ptx = re.sub(r"//.*", "", ptx)  # its comments name every kernel
    bodies = {match["name"]: match[0] for match in FUNCTION.finditer(ptx) if match[0].endswith("}")}
    found: list[str] = []
    fresh = [FUNCTION.sub("", ptx), *(bodies.pop(name, "") for name in kernels)]
    while fresh:
        found += fresh
        named = {word for text in fresh for word in re.findall(r"[\w$]+", text)} & bodies.keys()
        fresh = [bodies.pop(name) for name in sorted(named)]
    return "\n".join(found)


def rounds_in_any_order(ptx: str) -> bool:
    """Whether `ptx` adds floating-point numbers atomically, by compare-and-swap loops, or as they come.

    Such sums round differently in every order, on hardware too. A look-back, as in a scan of one pass, adds
    up what earlier blocks have stored so far: some their own sum, some that of all before them. What threads
    put into places by tickets, as a matrix's entries into rows, is added up in the order of these.
    """
    if ORDERED_BY_CHANCE.search(ptx):
        return True
    by_chance = OTHER_BLOCKS_SO_FAR.search(ptx) or TICKET.search(ptx)
    return bool(by_chance and FLOAT_SUM.search(ptx))
