"""Which rules stand behind each other: each cheat is judged again and again, without what refused it before.

    python -m tests.gauntlet.ablation

judges all cheats on the virtual GPU and keeps what came of it in docs/gauntlet.json, of which
docs/gauntlet_table.py makes a page; with names, or beginnings of names, it judges those and keeps other rows.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mskernelbench.checking import COMPARISON, ORDER
from mskernelbench.evaluation import Evaluation
from mskernelbench.fairness import UNFAIR
from mskernelbench.guards import STAGES, guards
from mskernelbench.timed_outputs import TIMED
from tests.gauntlet.judging import MEMORY_CHECKS, Gauntlet, opened
from tests.gauntlet.kernels import Cheat, GauntletKernel, Harmless, suspects

KEPT = Path(__file__).parents[2] / "docs" / "gauntlet.json"
FOUND_IN_A_CALL = ("race", "uninitialised", ORDER)
"""What a device may find without ending the call."""
FOUND_IN_A_TIME = (UNFAIR, TIMED)
"""What timed calls may be refused for that is no guard."""


def removable() -> frozenset[str]:
    """The rules that a referee can do without."""
    found = (COMPARISON, *FOUND_IN_A_CALL, *FOUND_IN_A_TIME, *MEMORY_CHECKS)
    return frozenset({*found, *(g.name for stage in STAGES for g in guards(stage))})


def refusals(gauntlet: Gauntlet, cheat: Cheat) -> Iterator[Evaluation]:
    """The verdict, and the one without its rule, and so on, until none is left that can be left out."""
    without: set[str] = set()
    while True:
        gauntlet.forget()  # each referee keeps the inputs of its own, which are large where calls are timed
        evaluation = gauntlet.judge(cheat, without)
        yield evaluation
        if evaluation.rule is None or evaluation.rule not in removable():
            return
        without.add(evaluation.rule)


def head(kernel: GauntletKernel) -> dict[str, Any]:
    """What its file says."""
    operator = f"{kernel.operator} {kernel.precision}"
    return {"name": kernel.name, "title": kernel.title, "operator": operator}


def row(gauntlet: Gauntlet, cheat: Cheat | Harmless) -> dict[str, Any]:
    """A line of the table."""
    if isinstance(cheat, Harmless):
        return {**head(cheat), "since": cheat.since, "gains": gains(gauntlet.judge(cheat))}
    found = tuple(refusals(gauntlet, cheat))
    return {
        **head(cheat),
        "gpu": cheat.gpu,
        "status": str(found[0].status),
        "rules": [evaluation.rule for evaluation in found if evaluation.rule],
        "wrong": wrong_workloads(found[-1]),
        "gains": gains(found[-1]),
    }


def wrong_workloads(last: Evaluation) -> list[int]:
    """On how many of the workloads that ran an output was outside its bound, and how many these are."""
    ratios = [row.error_ratio for row in last.workloads if row.set == "check"]
    return [sum(ratio is None or ratio > 1 for ratio in ratios), len(ratios)]


def gains(last: Evaluation) -> float | None:
    """The speedup that a cheat gets when nothing more refuses it; None where it is refused or not timed."""
    return last.speedup.centre if last.speedup else None


def main(names: Sequence[str]) -> None:
    """Judge the cheats whose names begin like one of `names`, or all, and keep their rows."""
    rows = {row["name"]: row for row in json.loads(KEPT.read_text())} if KEPT.exists() else {}
    known = suspects()
    with opened() as gauntlet:
        for cheat in known:
            if not names or cheat.name.startswith(tuple(names)):
                rows[cheat.name] = row(gauntlet, cheat)
                kept = [rows[other.name] for other in known if other.name in rows]
                KEPT.write_text(json.dumps(kept, indent=1) + "\n")
                print(cheat.name, *rows[cheat.name].get("rules", ()), flush=True)


def parser() -> argparse.ArgumentParser:
    """What the command line may say."""
    made = argparse.ArgumentParser(prog="python -m tests.gauntlet.ablation", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("names", nargs="*", help="of cheats, or their beginnings; all without any")
    return made


if __name__ == "__main__":
    main(parser().parse_args().names)
