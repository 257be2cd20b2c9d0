"""One task of the suite as one line, and what all came to."""

from collections import Counter
from collections.abc import Iterable
from shlex import quote

from cudamaster.report.document import Json
from cudamaster.report.figures import counted, percent
from mskernelbench.ratios import ratio_text

WORDS = {
    "pending": "not begun",
    "unfinished": "unfinished",
    "broken": "could not be worked on",
    "failed": "no candidate was right",
    "no_gain": "nothing beat the baseline",
    "tied": "as fast as the baseline",
    "faster": "faster",
}
"""Each status, in words."""


def task_line(row: Json, done: int, total: int) -> str:
    """`[ 3/100] softmax bf16: 6.26x modelled, 25.0 % of the roofline, 0.7 min`."""
    place = f"[{done:>{len(str(total))}}/{total}]"
    minutes = f", {row['minutes']:.1f} min" if "minutes" in row else ""
    return f"{place} {row['operator']} {row['precision']}: {_result(row)}{minutes}"


def _result(row: Json) -> str:
    if "evaluation" not in row:
        reason = f": {row['reason']}" if row.get("reason") else ""
        untried = row["status"] == "failed" and row.get("candidates") == 0
        return f"{'nobody wrote a kernel' if untried else WORDS[row['status']]}{reason}"
    evaluation = row["evaluation"]
    tie = f", {WORDS['tied']} as far as can be told" if row["status"] == "tied" else ""
    speedup, attained = evaluation["speedup"]["geomean"], percent(evaluation.get("attainment"))
    return f"{ratio_text(speedup)} {evaluation['clock']}{tie}, {attained} of the roofline"


def closing_line(rows: Iterable[Json], file: str) -> str:
    """`8 tasks: 6 faster, 2 no gain; in bench.json`, and how to go on where something is left to do."""
    counts = Counter(row["status"] for row in rows)
    parts = (f"{counts[status]} {status.replace('_', ' ')}" for status in reversed(WORDS) if counts[status])
    left = counts["pending"] + counts["unfinished"] + counts["broken"]
    again = (
        f"; the same command goes on with the {left} that {'is' if left == 1 else 'are'} left" if left else ""
    )
    return f"{counted(counts.total(), 'task')}: {', '.join(parts)}; in {file}{again}"


def kept_line(results: str) -> str:
    """Where a suite's best kernels are, and how they are judged again."""
    return f"the best kernels are in {results}: 'cudamaster verify {quote(results)}' judges them again"
