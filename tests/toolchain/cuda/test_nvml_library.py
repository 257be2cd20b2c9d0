"""NVML without the package that wraps it, held against that package on the same library."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "tests" / "doubles" / "fake_nvml.c"
ASKS = """
import json, sys
if sys.argv[1] == "without":
    sys.modules["pynvml"] = None
from cudamaster.toolchain.devices.cuda.clocks import clock_state
from cudamaster.toolchain.devices.cuda.nvml import open_nvml
from cudamaster.toolchain.errors import EnvironmentLacks

nvml = open_nvml()
gpu = nvml.gpu_at("0000:1B:00.0")
state = clock_state(gpu)
try:
    nvml.gpu_at("0000:FF:00.0")
except EnvironmentLacks as lack:
    refused = str(lack)
told = {
    "version": nvml.driver_version, "title": gpu.title, "uuid": gpu.uuid, "refused": refused,
    "highest": [gpu.highest_sm_hz, gpu.highest_memory_hz], "sliced": gpu.is_sliced(),
    "state": [state.sm_mhz, sorted(map(str, state.slowed_by)), state.temperature_celsius],
    "processes": gpu.processes(),
}
nvml.close()
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def library_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nvml")
    command = ["cc", "-shared", "-fPIC", "-w", str(SOURCE), "-o", str(folder / "libnvidia-ml.so.1")]
    subprocess.run(command, check=True, timeout=60)
    return folder


def told(how: str, library_folder: Path) -> dict[str, Any]:
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(library_folder),
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
    }
    command = [sys.executable, "-c", ASKS, how]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_without_the_package_nvml_tells_the_same(library_folder: Path) -> None:
    without = told("without", library_folder)

    assert without == told("with", library_folder)
    assert without["title"] == "NVIDIA H200"
    assert without["highest"] == [1980e6, 3201e6]
    assert without["state"] == [345.0, ["heat", "power cap"], 41.0]
    assert without["processes"] == [[1, 1 << 20], [2, None]]
    assert without["refused"] == "NVML does not know the GPU at PCI bus 0000:FF:00.0: Not Found"


def test_no_library_is_one_sentence_without_the_package_too() -> None:
    program = (
        "import sys; sys.modules['pynvml'] = None\n"
        "from cudamaster.toolchain.devices.cuda.nvml_library import NVMLError, NvmlLibrary\n"
        "try: NvmlLibrary('libnothing.so.1').nvmlInit()\n"
        "except NVMLError as missing: print(missing)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "NVML Shared Library Not Found\n"
