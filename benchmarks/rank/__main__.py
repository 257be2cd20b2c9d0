"""Print how many pairs the device ranks right: `python -m benchmarks.rank [--device D] [name …]`."""

import argparse
import sys
import time

from benchmarks.rank.pairs import PAIRS, Pair
from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan


def entry_ms(device: Device, pair: Pair, entry: str) -> Timing | str:
    """The time of one entry, or why there is none."""
    build = device.build(pair.source(entry))
    if not build.ok:
        return build.first_error
    timing = device.time(build, pair.arguments, TimingPlan())
    device.release(build)
    return f"{timing.kind}: {timing.reason}" if isinstance(timing, RunFailure) else timing


def judge(device: Device, pair: Pair) -> tuple[bool, str]:
    """Whether the pair's order comes out, and a line that says how."""
    started = time.monotonic()
    slow, fast = (entry_ms(device, pair, entry) for entry in ("slow", "fast"))
    if isinstance(slow, str) or isinstance(fast, str):
        return False, f"{pair.name:18} {slow if isinstance(slow, str) else fast}"
    ratio = fast.speedup_over(slow)
    verdict = "right" if ratio >= pair.least else "order only" if ratio > 1.0 else "WRONG"
    line = (
        f"{pair.name:18} slow {1e3 * slow.median_ms:10.1f} us  fast {1e3 * fast.median_ms:10.1f} us  "
        f"ratio {ratio:7.2f} (at least {pair.least:4.2f})  {verdict:10}  {time.monotonic() - started:5.1f} s"
    )
    return ratio > 1.0, line


def main(arguments: list[str]) -> int:
    """Exit code 0 when every pair asked for is in order."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="virtual:h200")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args(arguments)
    device = open_device(asked.device)
    print(f"{device.spec.title}, {device.clock} times")
    right = 0
    pairs = [pair for pair in PAIRS if not asked.names or pair.name in asked.names]
    for pair in pairs:
        in_order, line = judge(device, pair)
        right += in_order
        print(line, flush=True)
    print(f"{right} of {len(pairs)} pairs in order")
    device.close()
    return 0 if right == len(pairs) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
