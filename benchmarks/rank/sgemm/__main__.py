"""Compare modelled with published GFLOP/s: `python -m benchmarks.rank.sgemm [--device D] [step …]`.

Published: Simon Boehm, "How to Optimize a CUDA Matmul Kernel for cuBLAS-like Performance" (2022), products
of 4096 x 4096 FP32 matrices on an RTX A6000. The kernels here follow its steps but are not its code, so
agreement within a factor is all there is to expect.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from benchmarks.rank.inputs import product
from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import RunFailure

N = 4096
PUBLISHED_GFLOPS = {
    "naive": 309.0,
    "coalesced": 1987.0,
    "tiled": 2980.0,
    "column": 8475.0,
    "square": 15972.0,
    "vectorised": 18237.0,
    "warptiled": 21779.0,
}


def main(arguments: list[str]) -> int:
    """Exit code 0 when the steps asked for come out in order and each within a factor of two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="virtual:a6000")
    parser.add_argument("steps", nargs="*", default=list(PUBLISHED_GFLOPS))
    asked = parser.parse_args(arguments)
    if unknown := set(asked.steps) - PUBLISHED_GFLOPS.keys():
        parser.error(f"no step is called {', '.join(unknown)}")
    device = open_device(asked.device)
    text = (Path(__file__).parent / "series.cu").read_text()
    matrices = Arguments(product(N)(np.random.default_rng(0)), "sgemm")
    rates = []
    steps = {name: rate for name, rate in PUBLISHED_GFLOPS.items() if name in asked.steps}
    for entry, published in steps.items():
        build = device.build(KernelSource(text, entry, "series.cu"))
        profile = device.profile(build, matrices)
        if isinstance(profile, RunFailure):
            print(f"{entry:12} {profile.kind}: {profile.reason}")
            return 1
        device.release(build)
        rates.append(2 * N**3 / profile.time_ms / 1e6)
        print(
            f"{entry:12} modelled {rates[-1]:8.0f} GFLOP/s  published {published:8.0f}  "
            f"ratio {rates[-1] / published:5.2f}  {profile.kernels[0].bound_by}",
            flush=True,
        )
    device.close()
    ratios = [rate / published for rate, published in zip(rates, steps.values(), strict=True)]
    return 0 if rates == sorted(rates) and all(0.5 < ratio < 2 for ratio in ratios) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
