"""What a check is made of: parts, in order of value; their items, each of which gives a row."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

from cudamaster.toolchain.device import Device
from cudamaster.toolchain.kernel import KernelSource
from mskernelbench.affordable import Limits

Row = dict[str, Any]
"""JSON; `key` names the item, `status` is `done`, or what became of it."""
DONE, FAILED, SKIPPED, STARTED = "done", "failed", "skipped", "started"
OBJECTION = "objection"
"""What a finished row holds against the GPU or against us, in one sentence; absent where nothing is wrong."""
WITHOUT = "without"
"""What keeps kernels from this machine's other things, and was left out since the driver does not bear it."""
LAST = "ends_part"
"""A row that holds this is the part's last: what the others would need is not there."""
SIZES = Limits(flops=2**35, dram_bytes=2**28)
"""Of workloads that are timed: heavy enough to fill an H200, light enough to be drawn and copied quickly."""


@dataclass(frozen=True)
class Session:
    """What a part works with."""

    device: Device
    """The GPU, or what stands in for it in a dry run."""
    model: Device
    """The virtual GPU of the same kind."""
    pool: ThreadPoolExecutor
    operators: tuple[str, ...]
    """Those that are checked."""
    seed: int = 0
    sizes: Limits = SIZES
    seconds: float = 60.0
    """What this part may take."""


class Item(NamedTuple):
    """One row to be."""

    key: str
    prepare: Callable[[], Any]
    """On a processor, some items ahead, in any thread."""
    measure: Callable[[Any], Row]
    """With what `prepare` gave; alone on the GPU."""


class Part(NamedTuple):
    """One kind of proof."""

    name: str
    does: str
    """What it shows, in words."""
    seconds: float
    """Its share of five minutes; parts that end sooner leave the rest to those after them."""
    items: Callable[[Session], Sequence[Item]]
    """The most valuable first."""
    figures: Callable[[Sequence[Row]], Row]
    """What its rows say together."""
    sources: Callable[[Sequence[str]], Iterable[KernelSource]] = lambda operators: ()
    """What it will have compiled for these operators, as far as that is known beforehand."""
    opens_device: bool = True
    """Whether its process holds the GPU; what starts processes that do must not."""
