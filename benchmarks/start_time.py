"""How long `cudamaster --help` takes, as a share of the promised 0.15 s and of Python's own start."""

import subprocess
import sys
import time
from statistics import median

PROMISED_SECONDS = 0.15
RUNS = 15


def seconds(arguments: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def main() -> int:
    seconds(["-m", "cudamaster", "--help"])  # writes the .pyc files
    python = median(seconds(["-c", "pass"]) for _ in range(RUNS))
    command = median(seconds(["-m", "cudamaster", "--help"]) for _ in range(RUNS))
    print(f"python -c pass        {python:.3f} s")
    print(f"cudamaster --help     {command:.3f} s, {command / PROMISED_SECONDS:.2f} of the promised")
    return 0 if command < PROMISED_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
