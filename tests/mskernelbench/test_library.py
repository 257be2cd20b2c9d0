"""The benchmark as a library: what the README shows works, and importing the package loads nothing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mskernelbench
from mskernelbench import all_operators, evaluate
from mskernelbench.catalog import load_operator, operator_names
from mskernelbench.errors import UnknownOperator
from mskernelbench.evaluation import Status
from mskernelbench.operator import Precision
from tests.doubles.scripted_device import Script, ScriptedDevice, honest

README = Path(__file__).parents[2] / "README.md"
SPMV = load_operator("spmv_csr")


def example() -> str:
    """The Python that the README shows."""
    (code,) = README.read_text().split("```python\n")[1:]
    return code.split("```")[0]


def run(code: str, folder: Path) -> list[str]:
    ours = os.environ | {"PYTHONPATH": str(README.parent)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, env=ours, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")
def test_the_readmes_example_judges_a_file(tmp_path: Path) -> None:
    (tmp_path / "my.cu").write_text(SPMV.baseline(Precision.FP32))
    lines = run(example(), tmp_path)
    assert [line.split()[0] for line in lines[: len(operator_names())]] == list(operator_names())
    assert lines[len(operator_names())].startswith("correct right on ")
    assert lines[-1].startswith("paper {'rows': 32768,")


def test_importing_the_package_loads_neither_numpy_nor_the_toolchain(tmp_path: Path) -> None:
    code = (
        "import sys, mskernelbench; print([m for m in ('numpy', 'cudamaster.toolchain') if m in sys.modules])"
    )
    assert run(code, tmp_path) == ["[]"]
    code = "import sys, mskernelbench as m; m.all_operators(); print('cudamaster.toolchain' in sys.modules)"
    assert run(code, tmp_path) == ["False"]


def test_a_name_that_the_package_lacks_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        mskernelbench.nothing  # noqa: B018


def test_names_may_stand_for_operator_and_precision_and_an_open_device_stays_open() -> None:
    source = SPMV.baseline(Precision.FP32)
    device = ScriptedDevice({source: Script(honest(SPMV))})
    assert evaluate(source, "spmv", "FP32", device, sets=("check",)).status is Status.CORRECT
    assert evaluate(source, SPMV, Precision.FP32, device, sets=("check",)).correct
    assert ("close", "") not in device.asked
    with pytest.raises(UnknownOperator):
        evaluate(source, "nothing_like_it", "fp32", device)
    assert SPMV in all_operators()
