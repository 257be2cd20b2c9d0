"""Many random programs: `python -m tests.toolchain.virtual.fuzz --programs 2000 --seed 1`."""

import argparse
import tempfile
import time
from pathlib import Path

from tests.toolchain.virtual.fuzz.differential import ARCHITECTURES, differences

AT_ONCE = 100


def main() -> int:
    """Print every difference; 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first program, the others follow")
    options = parser.parse_args()
    begun, count = time.monotonic(), 0
    for first in range(options.seed, options.seed + options.programs, AT_ONCE):
        seeds = range(first, min(first + AT_ONCE, options.seed + options.programs))
        architecture = ARCHITECTURES[first // AT_ONCE % len(ARCHITECTURES)]
        with tempfile.TemporaryDirectory() as folder:
            for difference in differences(seeds, Path(folder), architecture):
                count += 1
                print(difference, flush=True)
        print(f"{seeds.stop - options.seed} programs, {time.monotonic() - begun:.0f} s", flush=True)
    return 1 if count else 0


if __name__ == "__main__":
    raise SystemExit(main())
