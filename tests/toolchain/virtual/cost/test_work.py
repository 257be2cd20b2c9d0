import pytest

from cudamaster.toolchain.devices.virtual.cost.work import FREE, Pipe, work_of


@pytest.mark.parametrize(
    "opcode", ["cvta.to.global.u64", "neg.f32", "and.pred", "cvt.u64.u32", "bar.warp.sync"]
)
def test_some_ptx_is_gone_in_sass(opcode: str) -> None:
    assert work_of(opcode) is FREE


@pytest.mark.parametrize(
    ("opcode", "pipe", "slots"),
    [
        ("fma.rn.f32", Pipe.FMA, 1),
        ("mad.lo.s32", Pipe.IMAD, 1),
        ("mul.wide.s32", Pipe.IMAD, 2),
        ("add.s32", Pipe.ALU, 1),
        ("add.s64", Pipe.ALU, 1.5),
        ("max.f32", Pipe.ALU, 1),
        ("setp.lt.f64", Pipe.FP64, 1),
        ("fma.rn.bf16x2", Pipe.HALF, 1),
        ("ex2.approx.ftz.f32", Pipe.XU, 1),
        ("cvt.rn.f32.s32", Pipe.XU, 1),
        ("cvt.f64.f32", Pipe.XU, 1),
        ("cvt.rn.bf16x2.f32", Pipe.ALU, 0.5),
        ("ld.global.nc.v4.f32", Pipe.LSU, 1),
        ("atom.global.add.f32", Pipe.LSU, 1),
        ("shfl.sync.down.b32", Pipe.SHUFFLE, 1),
    ],
)
def test_a_pipe_takes_an_instruction(opcode: str, pipe: Pipe, slots: float) -> None:
    assert work_of(opcode).slots(pipe) == slots


def test_a_division_costs_many_multiplications() -> None:
    assert work_of("div.rn.f32").issue >= 8 * work_of("mul.f32").issue
    assert work_of("div.s32").issue > work_of("div.rn.f32").issue > work_of("div.approx.f32").issue


def test_an_opcode_without_a_row_is_one_instruction() -> None:
    assert work_of("frobnicate.sync.b32").issue == 1


def test_waiting_for_asynchronous_copies_uses_no_load_unit() -> None:
    assert work_of("cp.async.wait_group").slots(Pipe.LSU) == 0
    assert work_of("cp.async.cg.shared.global").slots(Pipe.LSU) == 1
