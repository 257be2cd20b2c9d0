"""A measured record keeps the times of every pair, from which its figures must follow."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from cudamaster.search.verifying import differences_on_paper
from cudamaster.store.results import digest_of
from cudamaster.toolchain.kernel import KernelSource
from mskernelbench.operator import Precision
from mskernelbench.operators.relu.spec import OPERATOR as RELU
from mskernelbench.pairing import PAIRS
from mskernelbench.racing import copy_of
from mskernelbench.referee import Referee
from tests.doubles.noisy_clock import NoisyDevice
from tests.doubles.scripted_device import Script, honest

FP32 = Precision.FP32
BASELINE = RELU.baseline(FP32)
KERNEL = f"{BASELINE}\n// faster\n"
Record = dict[str, Any]


@pytest.fixture(scope="module")
def record() -> Record:
    baseline = KernelSource(BASELINE, "RELU")
    scripts = {
        baseline.text: Script(honest(RELU)),
        copy_of(baseline).text: Script(honest(RELU)),
        KERNEL: Script(honest(RELU), lambda arguments: 0.8),
    }
    evaluation = Referee(NoisyDevice(scripts), RELU, FP32).evaluate(KERNEL, timed=RELU.in_set("paper")[:2])
    hashes = {"kernel_sha256": digest_of(KERNEL), "baseline_sha256": digest_of(BASELINE)}
    return {**hashes, "evaluation": evaluation.document()}


def timed(record: Record) -> Record:
    row: Record = next(row for row in record["evaluation"]["workloads"] if "speedup" in row)
    return row


def differences(record: Record) -> list[str]:
    return list(differences_on_paper(record, KERNEL, BASELINE))


def test_every_pairs_times_are_kept_and_the_figures_follow_from_them(record: Record) -> None:
    assert len(timed(record)["pairs_ms"]) == PAIRS
    assert differences(record) == []


def _all_samples(row: Record) -> None:
    row["pairs_ms"] = [[b, c / 2] for b, c in row["pairs_ms"]]


def _interval(row: Record) -> None:
    row["speedup"]["low"] *= 1.01


def _time(row: Record) -> None:
    row["candidate_ms"] *= 0.9


@pytest.mark.parametrize(
    ("change", "named"),
    [(_all_samples, "speedup.median"), (_interval, "speedup.low"), (_time, "candidate_ms")],
)
def test_figures_that_do_not_follow_from_the_pairs_are_found(
    record: Record, change: Callable[[Record], None], named: str
) -> None:
    changed = copy.deepcopy(record)
    change(timed(changed))
    assert any(named in words for words in differences(changed))


def test_a_record_of_before_pairs_were_kept_is_read_without_them(record: Record) -> None:
    older = copy.deepcopy(record)
    for row in older["evaluation"]["workloads"]:
        row.pop("pairs_ms", None)
    assert differences(older) == []
