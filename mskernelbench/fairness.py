"""Whether the sampled blocks of a timed call do as much as others: which they are can partly be foreseen."""

from collections.abc import Iterable

from cudamaster.toolchain.arguments import Access, Arguments
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import Timing
from mskernelbench.guards.times.bytes_left_out import EVEN, SHARE

UNFAIR = "unfair_sample"
"""The rule that blocks drawn anywhere touch no more than those that were timed."""
MOST_SHARE = 0.75
"""Of what blocks anywhere touch: sampled ones that touch less are not like them."""

DRAWS = 16
"""Draws of blocks from anywhere that must all touch more: a hundred blocks meet what one in ten is like."""

LARGE_BYTES = 1 << 16
"""Smaller outputs may be written by one block for all."""


def does_its_share(timing: Timing, arguments: Arguments, least_bytes: int) -> bool:
    """Whether all blocks, were they like the sampled ones, write every output and touch what they must."""
    if not timing.extents:
        return True
    touched = float(timing.moved_bytes)
    for tensor in arguments.tensors:
        nbytes, usual = tensor.array.nbytes, timing.extents[tensor.name].usual
        touched += min(nbytes, usual)
        is_large = tensor.access is Access.OUTPUT and nbytes >= LARGE_BYTES
        if is_large and usual + timing.moved_bytes < SHARE * nbytes:
            return False
    return touched >= SHARE * least_bytes


def unfair_words(timing: Timing, draws: Iterable[Timing | RunFailure], label: str) -> str | None:
    """What each of the `draws`, blocks from anywhere, touches more of; None as soon as one does not.

    Where some blocks have less to do, as those at an edge have, a few draws can meet none of them.
    """
    words = None
    for others in draws:
        words = None if isinstance(others, RunFailure) else _more_words(timing, others, label)
        if words is None:
            break
    return words


def _more_words(timing: Timing, others: Timing, label: str) -> str | None:
    """What these blocks touch more of; None where they do not, or differ themselves."""
    for name, extent in others.extents.items():
        usual = timing.extents[name].usual
        if 0 < extent.usual <= EVEN * extent.least and usual < MOST_SHARE * extent.usual:
            return (
                f"the blocks by which the call is timed touch {usual / 1e6:.4g} MB of {name} on workload "
                f"{label}, and others {extent.usual / 1e6:.4g} MB: they leave work to others"
            )
    return None
