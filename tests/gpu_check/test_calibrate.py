"""A check's document is kept and becomes the model's factor; one that cannot is refused in a sentence."""

import json
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from benchmarks.gpu_check.calibrate import FACTORS, main
from benchmarks.gpu_check.document import document
from benchmarks.gpu_check.kept_rows import begin, keep
from benchmarks.gpu_check.parts import PARTS
from cudamaster.search.evidence import model_digest

BASELINES = next(part for part in PARTS if part.name == "baselines")


def told(folder: Path, times: int = 40, **changes: Any) -> Path:
    """The document of a GPU on which everything takes 1.25 times what the model says."""
    identity = {
        "device": "cuda:0", "gpu": "nvidia-h200", "title": "NVIDIA H200", "clock": "measured",
        "model": {"device": "virtual:h200", "version": model_digest()},
    }  # fmt: skip
    begin(folder, identity | changes)
    each = [
        {"subject": f"s{i}", "bound": "memory", "ms": 1.25 * i, "modelled_ms": i} for i in range(1, times + 1)
    ]
    keep(folder, BASELINES.name, {"key": "a", "status": "skipped", "times": each})
    file = folder / "gpu-check.json"
    file.write_text(json.dumps(document(folder, [BASELINES], "command", datetime(2026, 12, 1, tzinfo=UTC))))
    return file


@pytest.fixture
def places(tmp_path: Path) -> Mapping[str, Path]:
    factors = tmp_path / "calibration.toml"
    factors.write_text(FACTORS.read_text())
    return {"factors": factors, "measurements": tmp_path / "measurements"}


def calibrated(file: Path, places: Mapping[str, Path]) -> Result:
    options = [word for name, place in places.items() for word in (f"--{name}", str(place))]
    return CliRunner().invoke(main, [str(file), *options])


def test_the_factor_stands_in_its_line_and_the_document_among_the_measurements(
    tmp_path: Path, places: Mapping[str, Path]
) -> None:
    before = tomllib.loads(FACTORS.read_text())
    result = calibrated(told(tmp_path), places)

    assert result.exit_code == 0, result.output
    text = places["factors"].read_text()
    factor = pytest.approx(1.25 * before["h200"], rel=1e-3)
    assert tomllib.loads(text) == before | {"h200": factor}
    assert "# 2026-12-01-nvidia-h200.json: 40 times" in text
    kept = places["measurements"] / "2026-12-01-nvidia-h200.json"
    assert json.loads(kept.read_text())["title"] == "NVIDIA H200"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"clock": "modelled"}, "stood in for a GPU"),
        ({"times": 29}, "29 times are too few"),
        (
            {"model": {"device": "virtual:h200", "version": "another"}},
            "the model has changed since",
        ),
        ({"model": {"device": "virtual:h300", "version": model_digest()}}, "no virtual GPU is called"),
    ],
)
def test_what_gives_no_factor_changes_nothing_and_says_why(
    tmp_path: Path, places: Mapping[str, Path], changes: dict[str, Any], words: str
) -> None:
    result = calibrated(told(tmp_path, **changes), places)

    assert result.exit_code == 2
    assert words in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert places["factors"].read_text() == FACTORS.read_text()
    assert not places["measurements"].exists()


@pytest.mark.parametrize("text", ["{", '{"schema": "cudamaster.run/1"}'])
def test_another_file_is_refused(tmp_path: Path, places: Mapping[str, Path], text: str) -> None:
    (tmp_path / "other.json").write_text(text)
    result = calibrated(tmp_path / "other.json", places)
    assert result.exit_code == 2
    assert "give the gpu-check.json of a check" in result.output
