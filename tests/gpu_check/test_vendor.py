"""A vendor's arm is timed beside a baseline once it is right; what it lacks is said."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from benchmarks.gpu_check.kernels import BASELINE, Kernel
from benchmarks.gpu_check.nouns import Session
from benchmarks.gpu_check.vendor import Arm, built_arm, vendor_row
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from mskernelbench.catalog import load_operator
from mskernelbench.materials import Materials
from mskernelbench.operator import Precision, Workload
from tests.doubles.scripted_device import Script, ScriptedDevice, honest

SPMV = load_operator("spmv_csr")
WORKLOAD = Workload("user", {"rows": 30, "cols": 20, "nnz": 90}, "shifted", "uniform")
LARGER = replace(WORKLOAD, shape={"rows": 60, "cols": 20, "nnz": 180})
MATERIALS = Materials(SPMV, Precision.FP32, 0)
ARGUMENTS = {workload.label: MATERIALS.arguments(workload) for workload in (WORKLOAD, LARGER)}


def session(script: Script) -> Session:
    device = ScriptedDevice({"arm": script})
    return Session(device, device, ThreadPoolExecutor(1), ())


def row(script: Script) -> dict[str, object]:
    checked = session(script)
    arm = Arm("cuSPARSE 12.6", checked.device.build(KernelSource("arm", "spmv_csr")))
    found = vendor_row(checked, arm, ARGUMENTS, (WORKLOAD, MATERIALS.answers(WORKLOAD)), [WORKLOAD, LARGER])
    vendor = found["vendor"]
    assert isinstance(vendor, dict)
    return vendor


def test_a_right_arm_has_a_time_on_every_workload() -> None:
    found = row(Script(honest(SPMV), lambda arguments: 0.25))
    assert found["ms"] == {WORKLOAD.label: 0.25, LARGER.label: 0.25}
    assert found["library"] == "cuSPARSE 12.6"


def test_an_arm_that_does_not_run_says_why_and_has_no_time() -> None:
    failed = RunFailure(FailureKind.LAUNCH_FAILED, "no handle")
    found = row(Script(lambda arguments: failed))
    assert found == {"library": "cuSPARSE 12.6", "lacks": "launch_failed: no handle"}


def test_what_an_arm_lacks_is_its_row_and_where_there_is_none_nothing_is_said() -> None:
    checked = session(Script(honest(SPMV)))
    compared = WORKLOAD, MATERIALS.answers(WORKLOAD)
    assert vendor_row(checked, None, ARGUMENTS, compared, [WORKLOAD]) == {}
    lacking = vendor_row(checked, "cuFFT: pip install nvidia-cufft", ARGUMENTS, compared, [WORKLOAD])
    assert lacking == {"vendor": {"lacks": "cuFFT: pip install nvidia-cufft"}}


def test_a_stand_in_runs_no_arm_that_needs_a_gpu() -> None:
    checked = session(Script(honest(SPMV)))
    assert built_arm(checked, Kernel(SPMV, Precision.FP32, BASELINE, "")) is None
