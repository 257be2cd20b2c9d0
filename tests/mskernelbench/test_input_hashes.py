"""Inputs are the same bytes for the same seed on every machine, Python and NumPy."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numpy._core import _multiarray_umath as numpy_core

from mskernelbench.catalog import operator_names
from mskernelbench.operator import Precision
from tests.mskernelbench.input_hashes import FILE, Hashes, input_hash, pinned

AGAIN = "run python -m tests.mskernelbench.input_hashes, and say why in the commit"
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", operator_names())
def test_the_inputs_are_the_bytes_that_are_pinned(name: str) -> None:
    found = {str(precision): input_hash(name, precision) for precision in Precision}
    assert pinned().get(name) == found, AGAIN


def test_only_operators_that_exist_are_pinned() -> None:
    assert sorted(pinned()) == list(operator_names()), AGAIN


def test_the_bytes_do_not_depend_on_the_instructions_that_the_processor_has() -> None:
    """As on an old machine: NumPy's functions for newer processors are off."""
    plain = os.environ | {"NPY_DISABLE_CPU_FEATURES": " ".join(numpy_core.__cpu_dispatch__)}
    command = [sys.executable, "-W", "ignore", "-m", "tests.mskernelbench.input_hashes", "--print"]
    done = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True, check=True)
    found: Hashes = json.loads(done.stdout)
    assert found == pinned(), f"{FILE.name}: an input depends on the processor"
