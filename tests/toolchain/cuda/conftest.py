"""What the real device is tried with where there is no GPU."""

import pytest

from tests.doubles.cuda_device import CudaBench


@pytest.fixture(scope="session")
def cuda_bench(tmp_path_factory: pytest.TempPathFactory) -> CudaBench:
    """A folder with the fake runtime, and candidates as they are asked for."""
    return CudaBench(tmp_path_factory.mktemp("cuda"))
