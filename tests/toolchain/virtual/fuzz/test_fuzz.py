"""A few random programs in each test run; `python -m tests.toolchain.virtual.fuzz` runs as many as wanted."""

from pathlib import Path

import pytest

from tests.toolchain.virtual.fuzz.differential import ARCHITECTURES, differences
from tests.toolchain.virtual.fuzz.programs import program

SEEDS = {ARCHITECTURES[0]: range(12), ARCHITECTURES[1]: range(12, 24)}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_random_programs_give_on_the_virtual_gpu_what_they_give_on_the_cpu(
    architecture: str, tmp_path: Path
) -> None:
    assert not list(differences(SEEDS[architecture], tmp_path, architecture))


def test_a_seed_always_gives_the_same_program() -> None:
    assert program(7, 0) == program(7, 0) != program(8, 0)
