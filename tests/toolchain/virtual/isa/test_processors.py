"""Code for other processors than this machine's: older ones' runs here, another family's is compiled."""

import platform

import llvmlite.binding as llvm
import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.codegen.emitter import Mode
from cudamaster.toolchain.devices.virtual.codegen.warp_function import prepared, write_warp_function
from cudamaster.toolchain.devices.virtual.jit import MachineCode, generate_object
from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.devices.virtual.processor import LEVELS, VARIABLE, processor
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from cudamaster.toolchain.elf import imports_of_object
from cudamaster.toolchain.errors import EnvironmentLacks
from tests.toolchain.virtual.isa.conftest import Runner
from tests.toolchain.virtual.isa.opcodes import Launch, Table

OLDER = [level for level, avx512 in LEVELS.get(platform.machine(), {}).items() if not avx512]
"""The first three levels of x86-64: SSE2, SSE4.2, AVX2."""
HALVES = np.array([0, 1, 0x3FF, 0x400, 0x3C00, 0x7BFF, 0x7C00, 0x7E00, 0x8001, 0xBC01, 0xFC00], np.uint16)
FLOATS = np.array(
    [0, -0.0, 1.5, 65519.9, 65520, 2**-24, 2**-25, 1e30, -np.inf, np.nan, 1 + 2**-11], np.float32
)
DOUBLES = np.array([0, -0.0, 1 / 3, 1e300, 2**-1074, np.inf, np.nan, -1 - 2**-52], np.float64)
INTEGERS = np.array([0, 1, 2**31 - 1, 2**31, 2**32 - 1, 0x12345678], np.uint32)
LIBRARY = frozenset({"memcpy", "memset", "memmove", "fma", "fmaf"})
"""What code may call besides the runtime: LLVM's words for what a processor does not do by itself."""


def several_kinds() -> Table:
    """Instructions that processors differ in: 16-bit floats, fused and rounded arithmetic, conversions."""
    table = Table()
    table.add("cvt.f32.f16", "f32", "b16", [HALVES])
    table.add("cvt.rn.f16.f32", "b16", "f32", [FLOATS])
    table.add("cvt.rn.bf16.f32", "b16", "f32", [FLOATS])
    table.add("fma.rn.f32", "f32", "f32 f32 f32", [FLOATS, FLOATS[::-1].copy(), FLOATS])
    table.add("fma.rz.f32", "f32", "f32 f32 f32", [FLOATS, FLOATS[::-1].copy(), FLOATS])
    table.add("fma.rn.f64", "f64", "f64 f64 f64", [DOUBLES, DOUBLES[::-1].copy(), DOUBLES])
    table.add("fma.rn.f16x2", "f16x2", "f16x2 f16x2 f16x2", [INTEGERS, INTEGERS, INTEGERS])
    table.add("add.f16", "f16", "f16 f16", [HALVES, HALVES[::-1].copy()])
    table.add("cvt.rni.s32.f32", "s32", "f32", [FLOATS])
    table.add("cvt.rpi.f32.f32", "f32", "f32", [FLOATS])
    table.add("sqrt.rn.f32", "f32", "f32", [FLOATS])
    table.add("mul.hi.u32", "u32", "u32 u32", [INTEGERS, INTEGERS])
    table.add("popc.b32", "u32", "u32", [INTEGERS])
    table.add("brev.b32", "u32", "u32", [INTEGERS])
    return table


def found_by(runner: Runner, launch: Launch) -> dict[str, list[bytes]]:
    """The results' bytes, by code that is made now."""
    runner.engines.clear()
    table = several_kinds()
    table.run(launch)
    return {name: [array.tobytes() for array in arrays] for name, arrays in table.found.items()}


@pytest.fixture(scope="module")
def found_here(runner: Runner, launch: Launch) -> dict[str, list[bytes]]:
    return found_by(runner, launch)


@pytest.mark.parametrize("level", OLDER)
def test_an_older_processor_computes_the_same_bits(
    level: str,
    runner: Runner,
    launch: Launch,
    found_here: dict[str, list[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, level)
    assert processor().march == level
    assert found_by(runner, launch) == found_here


def test_a_processor_that_is_not_of_this_machine_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "z80")
    with pytest.raises(EnvironmentLacks, match=r"CUDAMASTER_CPU is 'z80', .* must be one of native, "):
        processor()


def test_code_that_calls_what_is_nowhere_is_not_run() -> None:
    code = generate_object("declare void @nowhere()\ndefine void @f() { call void @nowhere() ret void }", 0)
    with pytest.raises(Unsupported, match="nowhere"):
        MachineCode(code, "f", load_native())


@pytest.fixture(scope="module")
def arm() -> llvm.TargetMachine:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("aarch64-unknown-linux-gnu")
    return target.create_target_machine(cpu="generic", opt=1, jit=True)


def written(ptx: str, kernel: str, mode: Mode) -> llvm.ModuleRef:
    module = parse_module(ptx)
    return llvm.parse_assembly(
        write_warp_function(module, prepared(module, module.kernels[kernel]), mode).text
    )


@pytest.mark.parametrize(
    "mode", [Mode(True, count=True), Mode(False, count=False), Mode(True, count=False, watch=True)]
)
def test_kernels_become_code_of_an_arm_processor_that_calls_the_runtime_alone(
    mode: Mode, table_ptx: str, arm: llvm.TargetMachine
) -> None:
    code = arm.emit_object(written(table_ptx, "table", mode))
    assert int.from_bytes(code[18:20], "little") == 183  # EM_AARCH64
    assert {name for name in imports_of_object(code) if not name.startswith("vg_")} <= LIBRARY


PASSING_ON = """
.version 9.0
.target sm_90
.address_size 64
.visible .entry pass_on(.param .u64 data)
{
    .reg .b32 %r<3>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [data];
    st.global.u32 [%rd1], 1;
    FENCE;
    ld.global.u32 %r1, [%rd1+4];
    st.global.u32 [%rd1+8], %r1;
    ret;
}
"""


@pytest.mark.parametrize(
    ("instruction", "orders"),
    [
        ("membar.gl", True), ("membar.sys", True), ("fence.sc.gpu", True), ("fence.acq_rel.gpu", True),
        ("ld.acquire.gpu.global.u32 %r2, [%rd1+4]", True), ("st.release.gpu.global.u32 [%rd1+4], 2", True),
        ("membar.cta", False), ("ld.relaxed.gpu.global.u32 %r2, [%rd1+4]", False),
    ],
)  # fmt: skip
def test_an_arm_processor_orders_accesses_where_the_kernel_does(
    instruction: str, orders: bool, arm: llvm.TargetMachine
) -> None:
    """Its threads see each other's stores in any order but for `dmb`; an x86-64 processor's do not."""
    module = written(PASSING_ON.replace("FENCE", instruction), "pass_on", Mode(False, count=False))
    assert ("dmb\tish" in arm.emit_assembly(module)) == orders


@pytest.fixture
def table_ptx() -> str:
    """The PTX of `several_kinds`."""
    texts: list[str] = []
    table = several_kinds()
    table.run(lambda ptx, kernel, arrays, threads: texts.append(ptx))
    return texts[0]
