"""The document of a check, its table, and that only measured times are kept as measurements."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmarks.gpu_check.document import NotMeasured, clocks, document, keep_measurement
from benchmarks.gpu_check.kept_rows import begin, keep
from benchmarks.gpu_check.parts import PARTS
from benchmarks.gpu_check.telling import agreement_text, proven, summary
from cudamaster.toolchain.timing import Clock

CONTRACT = {
    "key": "suite", "status": "done", "seconds": 9.0, "passed": ["a"], "failed": ["b"], "error": ["c"],
    "skipped": [], "complaints": {"b": "assert 2 < 1"}, "objection": "2 tests fail, such as b",
}  # fmt: skip


def told(folder: Path, clock: Clock) -> dict[str, Any]:
    identity = {"device": "cuda:0", "gpu": "nvidia-h200", "title": "NVIDIA H200", "clock": str(clock)}
    begin(folder, identity | {"clock_version": "driver 580.65.06", "seed": 0})
    keep(folder, "contract", CONTRACT)
    keep(folder, "counters", {"key": "relu", "status": "skipped", "reason": "no ncu here"})
    keep(folder, "pairs", {"key": "odd", "status": "skipped", "reason": "-", "without": ["Landlock"]})
    return document(folder, PARTS, "make gpu-check", datetime(2026, 12, 1, 9, tzinfo=UTC))


def test_measured_times_are_kept_by_date_and_gpu(tmp_path: Path) -> None:
    file = keep_measurement(told(tmp_path / "out", Clock.MEASURED), tmp_path / "kept")
    assert file.name == "2026-12-01-nvidia-h200.json"
    kept = json.loads(file.read_text())
    assert (kept["command"], kept["clock_version"], kept["seed"]) == ("make gpu-check", "driver 580.65.06", 0)
    assert kept["parts"]["contract"]["figures"]["passed"] == 1


def test_times_of_a_stand_in_are_refused_as_a_measurement(tmp_path: Path) -> None:
    with pytest.raises(NotMeasured, match="cuda:0 stood in for a GPU and its times are modelled"):
        keep_measurement(told(tmp_path / "out", Clock.MODELLED), tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_the_table_says_what_was_done_what_was_skipped_and_what_was_not_reached(tmp_path: Path) -> None:
    console = Console(width=120)
    with console.capture() as capture:
        console.print(summary(told(tmp_path, Clock.MEASURED)))
    text = capture.get()
    assert "NVIDIA H200 (cuda:0), driver 580.65.06, times measured" in text
    assert "passed 1, failed 1, error 1, skipped 0" in text
    assert "counters: relu skipped: no ncu here" in text
    assert "contract: suite: 2 tests fail, such as b" in text
    assert "gauntlet: not reached" in text
    assert "without Landlock" in text


def test_what_failed_or_is_wrong_proves_nothing_and_what_was_skipped_is_no_fault(tmp_path: Path) -> None:
    checked = told(tmp_path, Clock.MEASURED)
    assert not proven(checked)
    del checked["parts"]["contract"]["rows"][0]["objection"]
    assert proven(checked)
    checked["parts"]["counters"]["rows"][0]["status"] = "failed"
    assert not proven(checked)


def test_agreement_is_one_line() -> None:
    fit = {"factor": 1.25, "quartiles": (1.0, 1.5), "times": 40}
    figures = {"times": 40, "rank_correlation": 0.98, "ordered_right": (30, 32), "calibration": fit}
    assert agreement_text(figures) == (
        "40 times, rank correlation 0.98, 30 of 32 in order, "
        "measured = 1.25 x modelled (half of them 1 to 1.5)"
    )
    assert agreement_text({"times": 2, "calibration": None}) == "2 times are too few to speak of"


def test_clocks_span_all_times() -> None:
    rows = [
        {"times": [{"sm_mhz": [1900.0, 1980.0], "celsius": [40.0, 44.0], "slowed_by": []}]},
        {"times": [{"sm_mhz": [1700.0, 1710.0], "slowed_by": ["power cap"]}, {}]},
    ]
    assert clocks(rows) == {"sm_mhz": [1700.0, 1980.0], "celsius": [40.0, 44.0], "slowed_by": ["power cap"]}
    assert clocks([{}]) == {}


def test_parts_have_names_of_their_own_and_share_five_minutes() -> None:
    assert len({part.name for part in PARTS}) == len(PARTS)
    assert sum(part.seconds for part in PARTS) == 300
