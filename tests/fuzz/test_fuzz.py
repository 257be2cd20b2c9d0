"""A small part of `python -m tests.fuzz`, always the same."""

from collections import Counter

import pytest

from tests.fuzz.behaviours import BEHAVIOURS
from tests.fuzz.ground import adopting_orphans, lasting, look
from tests.fuzz.inputs import HONEST, KINDS, Input, inputs
from tests.fuzz.judging import UNREADABLE, fuzz_referee, judge

SEED, COUNT = 1, 40
HOSTILE = (
    "aborts",
    "forks past the C library",
    "kills its parent",
    "creates shared memory",
    "closes every file",
)
REFUSED_UNSEEN = frozenset({UNREADABLE, "build_failed"})


def test_malformed_and_hostile_inputs_end_in_a_status_and_leave_nothing() -> None:
    before = look()
    with adopting_orphans():
        referee = fuzz_referee()
        verdicts = [(given.kind, judge(referee, given)) for given in [*inputs(COUNT, SEED), *hostile()]]
        referee.device.close()
        left = lasting(before)
    assert left == []
    assert all(verdict.reason.strip() and "\n" not in verdict.reason for _, verdict in verdicts)
    counts = Counter(verdict.status for _, verdict in verdicts)
    assert counts["build_failed"] > 10
    assert counts["launch_failed"] > 1
    assert {v.status for kind, v in verdicts if kind in ("random_bytes", "without_entry")} <= REFUSED_UNSEEN


def hostile() -> list[Input]:
    """One input for each of a few behaviours."""
    sources = {name: HONEST.replace("    relu_kernel<<<", f"    {BEHAVIOURS[name]}\n    relu_kernel<<<")
               for name in HOSTILE}  # fmt: skip
    return [
        Input("hostile", f"#include <stdlib.h>\n#include <unistd.h>\n{s}".encode()) for s in sources.values()
    ]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_input_is_drawn(kind: object) -> None:
    drawn = Counter(given.kind for given in inputs(1000, 0))
    assert drawn[kind.__name__] > 0  # type: ignore[attr-defined]


def test_the_same_seed_draws_the_same_inputs() -> None:
    assert list(inputs(30, 7)) == list(inputs(30, 7))
    assert list(inputs(30, 7)) != list(inputs(30, 8))
