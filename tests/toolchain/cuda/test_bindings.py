"""The real cuda-bindings and the workers' real program on a driver that is held against NVIDIA's header."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.doubles.cuda_device import CudaBench

ROOT = Path(__file__).parents[3]
SESSION = """
import json, sys
from dataclasses import replace
from pathlib import Path
import numpy as np
from cudamaster.toolchain.outputs import Outputs, RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan
from tests.doubles.cuda_device import CudaBench, copy_arguments

bench = CudaBench(Path(sys.argv[1]))
device = bench.real_device()
copy, arguments = bench.candidate("copy"), copy_arguments(50_000)
x = arguments.items[0].array
outputs = device.run(copy, arguments)
timing = device.time(copy, arguments, TimingPlan(samples=2))
fault = device.run(bench.candidate("faults", "if (n == 50000) fake_fault(719);"), arguments)
spoils = device.run(bench.candidate("spoils", kernel="((float *)x)[5] = 7;"), arguments)
behind = device.run(bench.candidate("behind", kernel="y[n] = 1;"), arguments)
device.close()
print(json.dumps({
    "name": device.name,
    "right": isinstance(outputs, Outputs) and bool(np.array_equal(outputs.arrays["y"], x)),
    "whole": isinstance(outputs, Outputs) and [*outputs.changed_inputs, *outputs.overwritten_guards],
    "samples": len(timing.samples_ms) if isinstance(timing, Timing) else timing.reason,
    "fault": fault.reason,
    "spoils": spoils.reason,
    "behind": behind.overwritten_guards,
}))
"""


def test_what_reaches_the_driver_is_what_its_header_asks_for(cuda_bench: CudaBench) -> None:
    paths = os.pathsep.join([str(ROOT), *sys.path])
    environment = {**os.environ, "LD_LIBRARY_PATH": str(cuda_bench.driver_folder), "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-c", SESSION, str(cuda_bench.folder)],
        env=environment, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "libcuda:" not in done.stderr, "a call was not as it should be"
    said = json.loads(done.stdout)
    assert said["fault"] == "the GPU stopped in the call: CUDA_ERROR_LAUNCH_FAILED, words of the driver"
    assert "SIGSEGV" in said["spoils"]
    del said["fault"], said["spoils"]
    assert said == {"name": "cuda:0", "right": True, "whole": [], "samples": 2, "behind": ["y"]}
