"""A finished run, whose journal tests tell again."""

from pathlib import Path

import pytest

from cudamaster.store.runs import RunFolder
from tests.doubles import scripted_run as scripted
from tests.doubles.retold_run import RetoldRun, retold, run_to_its_end


@pytest.fixture(scope="package")
def finished(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """The scripted run: BETTER of round 2 is crowned."""
    return run_to_its_end(tmp_path_factory.mktemp("run"), scripted.team())


@pytest.fixture
def run(finished: RunFolder, tmp_path: Path) -> RetoldRun:
    """The same run, of which nothing is told yet, in `runs` of the test's folder."""
    return retold(finished, tmp_path / "runs")
