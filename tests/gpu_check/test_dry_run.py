"""The whole check without a GPU: a virtual one stands in, in the same processes, and little is installed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.gpu_check.__main__ import main
from benchmarks.gpu_check.document import MEASUREMENTS
from cudamaster.toolchain.cache import VARIABLE, cache_folder

pytestmark = pytest.mark.timeout(300)  # on a machine that has yet to compile the engine
ROOT = Path(__file__).parents[2]
HAS = (
    "numpy", "scipy", "llvmlite", "cuda", "cupy", "pandas", "jinja2", "click", "rich", "pytest",
    # and what these need
    "markupsafe", "markdown_it", "mdurl", "pygments", "_pytest", "pluggy", "iniconfig", "packaging",
    "dateutil", "six", "tzdata",
)  # fmt: skip
"""Packages of a machine that only measures; it has no others."""
CARRIED = ("ml_dtypes",)
"""What such a machine needs besides for BF16."""
BLOCK = """
import sys
from importlib.machinery import PathFinder

class Only(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        found = super().find_spec(name, path, target)
        place = getattr(found, "origin", None) or ""
        if "site-packages" in place and "." not in name and name not in HAS:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        return None

HAS = {has!r}
sys.meta_path.insert(0, Only)
"""


def check(out: Path, site: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    (site / "sitecustomize.py").write_text(BLOCK.format(has=HAS + CARRIED))
    command = [sys.executable, "-m", "benchmarks.gpu_check", "--out", str(out), "--small", *options]
    places = {"PYTHONPATH": f"{site}:{ROOT}", VARIABLE: str(cache_folder()), "OUT": str(out / "back")}
    environment = {**os.environ, **places}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=280, check=False
    )


def test_every_part_is_done_or_says_why_not_and_no_modelled_time_is_a_measurement(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    out, site = tmp_path_factory.mktemp("out"), tmp_path_factory.mktemp("site")
    options = ("--device", "virtual:h200", "--operators", "vector_add", "--minutes", "8")
    result = check(out, site, *options, "--only", "baselines,counters")

    assert result.returncode == 0, result.stderr
    told = json.loads((out / "gpu-check.json").read_text())
    assert told == json.loads((out / "back" / "gpu-check.json").read_text()), (
        "all that comes back from a machine"
    )
    parts = told["parts"]
    statuses = {name: [row["status"] for row in part["rows"]] for name, part in parts.items()}
    assert statuses == {"baselines": ["done"] * 2, "counters": ["skipped"]}
    assert figures(parts, "baselines")["agree"] == 2
    assert told["agreement"]["calibration"]["factor"] == pytest.approx(1)
    assert parts["counters"]["rows"][0]["reason"] == "counted by virtual:h200, not by ncu"
    assert told["clock"] == "modelled"
    assert "virtual:h200 stood in for a GPU" in result.stdout
    assert not [file for file in MEASUREMENTS.glob("*.json") if "virtual" in file.read_text()[:4000]]


def test_nothing_but_those_packages_can_be_imported_there(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(BLOCK.format(has=HAS))
    for name in ("openai", "ml_dtypes", "pynvml", "platformdirs"):
        refused = subprocess.run(
            [sys.executable, "-c", f"import numpy, {name}"],
            env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert refused.stderr.endswith(f"ModuleNotFoundError: No module named '{name}'\n")


def figures(parts: dict[str, Any], name: str) -> dict[str, Any]:
    found = parts[name]["figures"]
    assert isinstance(found, dict)
    return found


def test_a_missing_gpu_is_one_sentence_and_exit_code_3(tmp_path: Path) -> None:
    if Path("/dev/nvidiactl").exists():
        pytest.skip("this machine has a driver")
    result = CliRunner().invoke(main, ["--out", str(tmp_path)])
    assert result.exit_code == 3
    assert result.stderr.startswith("gpu-check: no NVIDIA driver here")
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(("option", "name"), [("--only", "speed"), ("--operators", "softmix")])
def test_an_unknown_part_or_operator_is_a_usage_error(option: str, name: str) -> None:
    result = CliRunner().invoke(main, [option, name])
    assert result.exit_code == 2
    assert f"is called '{name}'" in result.stderr
