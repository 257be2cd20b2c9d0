"""The contract suite that every device passes, run by pytest in a process of its own."""

import ast
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from benchmarks.gpu_check.groups import run_group
from benchmarks.gpu_check.nouns import DONE, FAILED, OBJECTION, Item, Part, Row, Session
from cudamaster.toolchain.kernel import KernelSource
from tests.contract.sources import device, hosting, kernel

ROOT = Path(__file__).parents[3]
SUITE = ROOT / "tests" / "contract"
MAKERS = {"kernel": kernel, "hosting": hosting, "device_kernel": device}
"""What makes the suite's sources, by the names that its tests know it by."""
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


def sources(operators: Sequence[str]) -> Iterator[KernelSource]:
    """What the suite's tests name in so many words, whatever the operators."""
    for test in sorted(SUITE.glob("test_*.py")):
        for call in ast.walk(ast.parse(test.read_text())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in MAKERS:
                with suppress(ValueError):  # words that are only known when the test runs
                    yield MAKERS[call.func.id](*map(ast.literal_eval, call.args))


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


PART = Part("contract", "the contract of every device", 55.0, items, figures, sources, opens_device=False)
