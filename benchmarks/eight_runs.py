"""What `cudamaster optimize` takes for four operators in two precisions, cold and warm, and where it goes.

A cold run begins with an empty cache, a warm one with what the cold one left; both search anew. Wall and
processor seconds are the whole process tree's. Stages are processor seconds as the parts themselves tell them
(`toolchain/stages.py`), `rest` is what no part tells of.
"""

import argparse
import json
import logging
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

OPERATORS = ("spmv", "gemm", "attention", "stencil")
PRECISIONS = ("fp32", "bf16")
PROMISED_SECONDS = {"cold": 60.0, "warm": 30.0}
STAGES = ("nvcc", "translate", "simulate", "model", "worker", "inputs", "reference", "rest")
RUN_SECONDS = 900.0


class Stages(logging.Handler):
    """Adds up what the parts tell."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        self.seconds[record.__dict__["stage"]] += record.__dict__["seconds"]


def one_run(arguments: list[str]) -> None:
    """Run the command line in this process, and print its stages as the last line."""
    from cudamaster.cli import share_processors
    from cudamaster.cli.boundary import exit_code_of

    share_processors()
    stages, log = Stages(), logging.getLogger("cudamaster.stages")
    log.addHandler(stages)
    log.setLevel(logging.DEBUG)
    log.propagate = False
    code = exit_code_of(arguments)
    print(json.dumps({"stages": stages.seconds}))
    sys.exit(code)


def measured(operator: str, precision: str, cache: Path, folder: Path, more: list[str]) -> dict[str, Any]:
    """One run: seconds, stages and what came of it."""
    places = ["--out", str(folder / "out"), "--runs-dir", str(folder / "runs")]
    command = [sys.executable, __file__, "--one", "optimize", operator, "--precision", precision]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [*command, "--device", "virtual:h200", *places, "--json", *more],
        env={**os.environ, "CUDAMASTER_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    *document, last = done.stdout.strip().splitlines() or ["{}"]
    stages = json.loads(last).get("stages")
    if done.returncode or not stages or len(document) == 0:
        raise SystemExit(f"{operator} {precision} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    stages["rest"] = processor - sum(stages.values())
    return {"wall": wall, "cpu": processor, "stages": stages, "run": json.loads("\n".join(document))}


def row(name: str, state: str, result: dict[str, Any]) -> str:
    figures = " ".join(f"{result['stages'].get(stage, 0.0):9.1f}" for stage in STAGES)
    return (
        f"{name:15} {state:4} {result['wall']:6.1f} {result['cpu']:6.1f} {figures}  {ending(result['run'])}"
    )


def ending(run: dict[str, Any]) -> str:
    """What came of the run, in a few figures: geometric means over the workloads."""
    baseline, best = run["baseline"], run["best"]
    if not best:
        return "nothing beat the baseline"
    before_ms, speedup = baseline["geomean_ms"], best["speedup"]["geomean"]
    return (
        f"{before_ms:.4f} -> {before_ms / speedup:.4f} ms, {speedup:.2f}x, "
        f"{best['attainment']:.1%} of the roofline, {best['strategy']} "
        f"({run['rounds']} rounds, {run['candidates']} candidates)"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="such as gemm-fp32; all by default")
    parser.add_argument("--only-cold", action="store_true")
    asked, more = parser.parse_known_args()
    names = asked.names or [f"{operator}-{precision}" for operator in OPERATORS for precision in PRECISIONS]
    print(f"{'run':15} {'':4} {'wall s':>6} {'cpu s':>6} " + " ".join(f"{stage:>9}" for stage in STAGES))
    late = 0
    for name in names:
        operator, precision = name.split("-")
        with tempfile.TemporaryDirectory() as folder:
            for state in ("cold",) if asked.only_cold else ("cold", "warm"):
                place = Path(folder) / state
                result = measured(operator, precision, Path(folder) / "cache", place, more)
                late += result["wall"] > PROMISED_SECONDS[state]
                print(row(name, state, result), flush=True)
    return 1 if late else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one_run(sys.argv[2:])
    else:
        sys.exit(main())
