"""The contract suite that every device passes, run by pytest in a process of its own."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.gpu_check.groups import run_group
from benchmarks.gpu_check.nouns import DONE, FAILED, OBJECTION, Item, Part, Row, Session

ROOT = Path(__file__).parents[3]
SUITE = ROOT / "tests" / "contract"
KEY = "suite"
WORDS = ("passed", "failed", "error", "skipped")
VERDICT = re.compile(r"^\S+?::(\S+) (PASSED|FAILED|ERROR|SKIPPED)", re.MULTILINE)
COMPLAINT = re.compile(r"^(?:FAILED|ERROR) \S+?::(\S+) - (.+)", re.MULTILINE)
ENDED = re.compile(r"^=+ .* in \d.*=$", re.MULTILINE)
"""The last line of a suite that was gone through."""
WIDE = 500
"""Columns, so that pytest breaks no name."""


def items(session: Session) -> Sequence[Item]:
    """One: the suite takes long to start, not to run."""
    kind = session.device.name.partition(":")[0]
    return [Item(KEY, lambda: None, lambda _: run_suite(kind, session.seconds))]


def run_suite(kind: str, seconds: float, suite: Path = SUITE) -> Row:
    """Every test of the suite on devices of this kind, by verdict; those after a time-out are not told."""
    command = [
        sys.executable, "-m", "pytest", str(suite), "-v", "--tb=line", "-k", kind, "-p", "no:cacheprovider",
        "--color=no", "-o", "addopts=--import-mode=importlib",
    ]  # fmt: skip
    paths = os.pathsep.join(place for place in sys.path if place)
    environment = {**os.environ, "PYTHONPATH": paths, "COLUMNS": str(WIDE), "PYTHONUNBUFFERED": "1"}
    with tempfile.TemporaryFile("w+") as said:
        run_group(
            command, seconds, folder=ROOT, environment=environment, output=said, errors=subprocess.STDOUT
        )
        said.seek(0)
        output = said.read()
    row = verdicts(output)
    if not ENDED.search(output):
        return row | {"status": FAILED, "reason": f"pytest did not end: {output[-400:]}"}
    wrong = [*row["failed"], *row["error"]]
    objection = {OBJECTION: f"{len(wrong)} tests fail, such as {wrong[0]}"} if wrong else {}
    return row | {"status": DONE} | objection


def verdicts(output: str) -> Row:
    """The tests by verdict, and what those that failed complain of."""
    found = dict(VERDICT.findall(output))
    row: Row = {word: sorted(test for test, said in found.items() if said.lower() == word) for word in WORDS}
    return row | {"complaints": dict(COMPLAINT.findall(output))}


def figures(rows: Sequence[Row]) -> Row:
    """How many of each."""
    return {word: sum(len(row.get(word, ())) for row in rows) for word in WORDS}


PART = Part("contract", "the contract of every device", 75.0, items, figures, opens_device=False)
