"""Print how many pairs the device ranks right: `python -m benchmarks.rank [--device D] [name …]`."""

import argparse
import sys
import time
from dataclasses import dataclass

from benchmarks.rank.pairs import CLEAR, PAIRS, SAME, Pair
from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan
from mskernelbench.ratios import RESOLUTION

PROMISED = 0.9
"""Share of the pairs that is to come out right."""


@dataclass(frozen=True)
class Ranked:
    """One pair's outcome."""

    pair: Pair
    ratio: float
    """Time of `slow` ÷ time of `fast`."""

    @property
    def right(self) -> bool:
        """Whether the order is that of hardware; where there is none, whether no difference is reported."""
        if self.pair.least == SAME:
            return 1 / RESOLUTION <= self.ratio <= RESOLUTION
        return self.ratio > min(RESOLUTION, self.pair.least)

    @property
    def verdict(self) -> str:
        """In a word or three."""
        if not self.right:
            return "WRONG"
        if self.pair.least == SAME:
            return "no difference, as is right"
        return "right" if self.ratio >= self.pair.least else "order right, too close"


def entry_ms(device: Device, pair: Pair, entry: str) -> Timing | str:
    """The time of one entry, or why there is none."""
    build = device.build(pair.source(entry))
    if not build.ok:
        return build.first_error
    timing = device.time(build, pair.arguments, TimingPlan())
    device.release(build)
    return f"{timing.kind}: {timing.reason}" if isinstance(timing, RunFailure) else timing


def judge(device: Device, pair: Pair) -> tuple[Ranked | None, str]:
    """What became of the pair, and a line that says it."""
    started = time.monotonic()
    slow, fast = (entry_ms(device, pair, entry) for entry in ("slow", "fast"))
    if isinstance(slow, str) or isinstance(fast, str):
        return None, f"{pair.name:18} {slow if isinstance(slow, str) else fast}"
    ranked = Ranked(pair, fast.speedup_over(slow))
    known = "the same" if pair.least == SAME else f"at least {pair.least:.2f}"
    line = (
        f"{pair.name:18} slow {1e3 * slow.median_ms:10.1f} us  fast {1e3 * fast.median_ms:10.1f} us  "
        f"ratio {ranked.ratio:7.2f} ({known:13})  {ranked.verdict:26}  {time.monotonic() - started:5.1f} s"
    )
    return ranked, line


def told(pairs: list[Pair], ranked: list[Ranked]) -> str:
    """How many of each kind come out right."""

    def share(kind: str, wanted: list[Pair]) -> str:
        return f"{sum(r.right for r in ranked if r.pair in wanted)} of {len(wanted)} {kind}"

    clear = [p for p in pairs if p.least >= CLEAR]
    close = [p for p in pairs if SAME < p.least < CLEAR]
    same = [p for p in pairs if p.least == SAME]
    parts = (
        share(f"pairs that differ by {CLEAR} and more in order", clear),
        share("that differ by less", close),
        share("that do not differ", same),
    )
    return "; ".join(parts)


def main(arguments: list[str]) -> int:
    """Exit code 0 when as many pairs of those asked for come out right as is promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="virtual:h200")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args(arguments)
    device = open_device(asked.device)
    print(f"{device.spec.title}, {device.clock} times")
    pairs = [pair for pair in PAIRS if not asked.names or pair.name in asked.names]
    ranked = []
    for pair in pairs:
        outcome, line = judge(device, pair)
        ranked += [outcome] if outcome else []
        print(line, flush=True)
    print(told(pairs, ranked))
    device.close()
    return 0 if sum(r.right for r in ranked) >= PROMISED * len(pairs) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
