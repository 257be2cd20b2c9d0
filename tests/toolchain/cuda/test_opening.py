import os
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from cudamaster.toolchain.devices.cuda import list_devices
from cudamaster.toolchain.devices.cuda.driver import CudaDriver
from cudamaster.toolchain.devices.cuda.locks import GpuLocks
from cudamaster.toolchain.devices.cuda.nvml import open_nvml
from cudamaster.toolchain.devices.cuda.opening import Machine, OpenedGpus, open_gpus
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.errors import EnvironmentLacks, UnknownDevice
from cudamaster.toolchain.nvcc.finder import find_toolchain
from tests.doubles.nvidia import H200_ATTRIBUTES, Card, FakeBinding, FakeNvml

SECOND = Card(bus_id="00000000:5E:00.0", uuid="GPU-2")


class Bench:
    def __init__(self, folder: Path, *cards: Card, version: int = 13000) -> None:
        self.nvml = FakeNvml(list(cards))
        self.binding = FakeBinding(list(cards), version)
        self.locks = GpuLocks(folder=lambda: folder, wait_seconds=0, say=lambda line: None)

    @property
    def machine(self) -> Machine:
        return Machine(CudaDriver(self.binding), open_nvml(self.nvml), find_toolchain())

    def open(self, argument: str | None = None) -> OpenedGpus:
        return open_gpus(argument, self.machine, self.locks)

    def refusal(self, argument: str | None = None) -> str:
        with pytest.raises(EnvironmentLacks) as caught:
            self.open(argument)
        assert self.nvml.opened == 0
        return str(caught.value)


def test_an_h200_has_the_peaks_of_its_data_sheet_at_its_highest_clock(tmp_path: Path) -> None:
    opened = Bench(tmp_path, Card()).open()
    stated = load_gpu("h200").device

    assert (opened.name, opened.spec.name, opened.spec.architecture) == ("cuda:0", "h200", "sm_90a")
    assert opened.spec.fp32_flops == pytest.approx(stated.fp32_flops, rel=0.001)
    assert opened.spec.fp64_flops == pytest.approx(stated.fp64_flops, rel=0.002)
    assert opened.spec.dram_bytes_per_s == pytest.approx(stated.dram_bytes_per_s, rel=0.03)
    assert opened.spec.bf16_tensor_flops == pytest.approx(stated.bf16_tensor_flops * 1.98 / 1.83, rel=0.001)
    limits = ("sm_count", "l2_bytes", "shared_bytes_per_sm", "shared_bytes_per_block", "warps_per_sm")
    assert [getattr(opened.spec, name) for name in limits] == [getattr(stated, name) for name in limits]


@pytest.mark.parametrize(
    ("model", "capability", "title", "mhz"),
    [
        ("t4", (7, 5), "Tesla T4", 1590),
        ("a100", (8, 0), "NVIDIA A100-SXM4-80GB", 1410),
        ("a6000", (8, 6), "NVIDIA RTX A6000", 1800),
        ("rtx4090", (8, 9), "NVIDIA GeForce RTX 4090", 2520),
    ],
)
def test_peaks_agree_with_the_data_sheets_of_other_generations(
    model: str, capability: tuple[int, int], title: str, mhz: int, tmp_path: Path
) -> None:
    stated = load_gpu(model).device
    major, minor = capability
    own = {"COMPUTE_CAPABILITY_MAJOR": major, "COMPUTE_CAPABILITY_MINOR": minor}
    card = Card(title, attributes=H200_ATTRIBUTES | own | {"MULTIPROCESSOR_COUNT": stated.sm_count})
    card.highest_mhz = {**card.highest_mhz, 1: mhz}

    spec = Bench(tmp_path, card).open().spec

    assert spec.architecture == stated.architecture
    for peak in ("fp32_flops", "bf16_tensor_flops", "tf32_tensor_flops", "l2_bytes_per_s"):
        assert getattr(spec, peak) == pytest.approx(getattr(stated, peak), rel=0.04), peak


def test_several_gpus_of_one_kind_are_one_device(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Card(), SECOND)

    opened = bench.open("all")

    assert opened.name == "cuda:0,1"
    assert [gpu.monitor.uuid for gpu in opened.gpus] == [Card().uuid, "GPU-2"]
    opened.close()
    assert bench.nvml.opened == 0


def test_gpus_of_two_kinds_are_no_device(tmp_path: Path) -> None:
    slower = replace(SECOND, title="NVIDIA H100 80GB HBM3")
    with pytest.raises(UnknownDevice, match="of different kinds"):
        Bench(tmp_path, Card(), slower).open("0,1")


def test_a_gpu_in_mig_mode_is_refused(tmp_path: Path) -> None:
    assert "MIG mode" in Bench(tmp_path, Card(mig=(1, 1))).refusal()


def test_a_driver_older_than_the_toolkit_is_told_with_both_versions(tmp_path: Path) -> None:
    said = Bench(tmp_path, Card(), version=12080).refusal()

    assert "the driver is older than the toolkit: it runs CUDA 12.8, and nvcc is 13." in said


def test_a_driver_of_the_same_major_version_runs_what_a_newer_nvcc_made(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Card(), version=13000)
    machine = bench.machine
    newer = replace(machine, toolchain=replace(machine.toolchain, version="13.5.37"))

    assert newer.lacks(newer.gpus()[0]) is None


@pytest.mark.parametrize(
    ("capability", "words"), [((6, 0), "does not compile for compute capability 6.0"), ((8, 7), "not known")]
)
def test_an_unsupported_architecture_is_told(capability: tuple[int, int], words: str, tmp_path: Path) -> None:
    own = {"COMPUTE_CAPABILITY_MAJOR": capability[0], "COMPUTE_CAPABILITY_MINOR": capability[1]}

    assert words in Bench(tmp_path, Card(attributes=H200_ATTRIBUTES | own)).refusal()


def test_a_gpu_with_another_process_on_it_is_refused_unless_it_is_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cudamaster.toolchain.devices.cuda.opening.SETTLING_SECONDS", 0.0)
    with subprocess.Popen(["sleep", "100"]) as other:
        bench = Bench(tmp_path, Card(processes=[(other.pid, 1 << 20), (2**30, None)]))
        said = bench.refusal()
        other.kill()

    assert f"is busy with process {other.pid} (" in said
    assert said.endswith("or accept it with --device cuda:0,shared")
    assert bench.open("0,shared").name == "cuda:0,shared"


def test_what_this_process_opened_before_is_no_other_process(tmp_path: Path) -> None:
    card = Card()
    bench = Bench(tmp_path, card)
    bench.open().close()
    card.processes = [(os.getpid(), 1 << 20)]

    bench.open().close()


def test_who_started_this_process_and_waits_for_it_disturbs_nobody(tmp_path: Path) -> None:
    """`gpu-check` asks a GPU who it is before it starts the processes that measure."""
    Bench(tmp_path, Card(processes=[(os.getppid(), 1 << 20)])).open().close()


def test_a_run_that_opens_its_gpu_again_is_not_busy_with_itself(tmp_path: Path) -> None:
    card = Card()
    bench = Bench(tmp_path, card)
    first = bench.open()
    card.processes = [(os.getpid(), 1 << 20)]

    second = bench.open()

    first.close()
    second.close()
    assert bench.nvml.opened == 0


def test_a_gpu_of_another_run_is_refused_and_nothing_stays_held(tmp_path: Path) -> None:
    other = Bench(tmp_path, SECOND)
    held = other.open()

    assert "still in use" in Bench(tmp_path, Card(), SECOND).refusal("all")
    alone = Bench(tmp_path, Card())
    alone.open().close()
    held.close()


def test_every_gpu_is_listed_with_what_it_lacks(tmp_path: Path) -> None:
    machine = Bench(tmp_path, Card(), replace(SECOND, mig=(1, 1))).machine

    whole, sliced = list_devices(lambda: nullcontext(machine))

    assert (whole.name, whole.title, whole.lacks) == ("cuda:0", "NVIDIA H200", None)
    assert sliced.name == "cuda:1"
    assert "MIG mode" in str(sliced.lacks)


def test_a_gpu_that_nvml_does_not_know_is_one_line(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Card())
    machine = bench.machine
    bench.nvml.cards.clear()

    (line,) = list_devices(lambda: nullcontext(machine))

    assert line.name == "cuda"
    assert "NVML does not know the GPU at PCI bus 0000:1B:00.0" in str(line.lacks)


def test_opening_needs_no_package_of_language_models() -> None:
    program = (
        "import sys, cudamaster.toolchain.devices.cuda.opening; "
        "sys.exit(any(m in sys.modules for m in ('openai', 'anthropic', 'langgraph', 'cuda.bindings')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
