"""`python -m tests.fuzz`: malformed and hostile inputs end in a status, and leave nothing behind.

Exits with 1 when something was left or a reason is no sentence. What kills this process is a finding too.
"""

import time
from collections import Counter

import click

from tests.fuzz.ground import adopting_orphans, lasting, look
from tests.fuzz.inputs import inputs
from tests.fuzz.judging import fuzz_referee, judge


@click.command()
@click.option("--count", default=1000, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--verbose", is_flag=True, help="One line for every input.")
def main(count: int, seed: int, verbose: bool) -> None:
    before, begun = look(), time.monotonic()
    with adopting_orphans():
        counts, odd = judged(count, seed, verbose)
        left = lasting(before)
    for (kind, status), number in sorted(counts.items()):
        print(f"{kind:20s} {status:14s} {number:5d}")
    print(f"{count} inputs ended in a status in {time.monotonic() - begun:.0f} s")
    print("\n".join([*(f"left behind: {what}" for what in left), *(f"odd reason: {what}" for what in odd)])
          or "nothing was left behind")  # fmt: skip
    raise SystemExit(1 if left or odd else 0)


def judged(count: int, seed: int, verbose: bool) -> tuple[Counter[tuple[str, str]], list[str]]:
    """How many of each kind had which status, and reasons that are not one line."""
    referee = fuzz_referee()
    counts: Counter[tuple[str, str]] = Counter()
    odd = []
    for number, given in enumerate(inputs(count, seed)):
        begun = time.monotonic()
        verdict = judge(referee, given)
        counts[given.kind, verdict.status] += 1
        if "\n" in verdict.reason or not verdict.reason.strip():
            odd.append(f"input {number} ({given.kind}): {verdict.reason!r}")
        if verbose:
            seconds = time.monotonic() - begun
            print(
                f"{number:4d} {given.kind:18s} {verdict.status:14s} {seconds:5.1f} s  {verdict.reason[:140]}",
                flush=True,
            )
    referee.device.close()
    return counts, odd


if __name__ == "__main__":
    main()
