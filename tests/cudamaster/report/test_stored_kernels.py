"""Stored results as a list."""

import json
from pathlib import Path
from typing import Any

import pytest

from cudamaster.errors import BrokenStore
from cudamaster.report.stored_kernels import leaderboard_document, stored_rows
from cudamaster.store.results import digest_of

KERNEL = "// a kernel\n"


def store(folder: Path, operator: str, low: float, **more: Any) -> None:
    folder.mkdir(parents=True)
    evaluation = {"speedup": {"geomean": low, "low": low, "high": low}}
    record = {"schema": "cudamaster.record/1", "operator": operator, "precision": "fp32"}
    record |= {"device": "virtual:h200", "clock": "modelled", "clock_version": "1", "baseline_sha256": "b"}
    proof = {"kernel_sha256": digest_of(KERNEL), "evaluation": evaluation, "settings": {"shapes": ["N=8"]}}
    (folder / "kernel.cu").write_text(KERNEL)
    (folder / "record.json").write_text(json.dumps(record | proof | more))


def test_the_fastest_comes_first_and_own_sizes_are_told_apart(tmp_path: Path) -> None:
    place = tmp_path / "virtual-h200" / "relu" / "fp32"
    store(place, "relu", 2.0)
    store(place / "own-sizes" / "one", "relu", 3.0)
    store(tmp_path / "virtual-h200" / "gelu" / "fp32", "gelu", 1.5)

    rows = leaderboard_document(tmp_path)["results"]
    assert [(row["operator"], row["speedup"]["low"]) for row in rows] == [
        ("gelu", 1.5),
        ("relu", 3.0),
        ("relu", 2.0),
    ]
    assert ["shapes" in row for row in rows] == [False, True, False]
    assert [row["operator"] for row in stored_rows(tmp_path, "gelu")] == ["gelu"]


def test_a_torn_pair_is_no_result_and_a_broken_record_is_named(tmp_path: Path) -> None:
    store(tmp_path / "virtual-h200" / "relu" / "fp32", "relu", 2.0, kernel_sha256="another")
    assert stored_rows(tmp_path) == []
    (tmp_path / "virtual-h200" / "relu" / "fp32" / "record.json").write_text("{")
    with pytest.raises(BrokenStore, match=r"record\.json is not JSON"):
        stored_rows(tmp_path)
