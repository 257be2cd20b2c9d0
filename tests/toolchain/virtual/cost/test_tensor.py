import pytest

from cudamaster.toolchain.devices.virtual.cost.tensor import tensor_clocks, tensor_flops
from cudamaster.toolchain.devices.virtual.specs import load_gpu

MMA = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
WMMA = "wmma.mma.sync.aligned.row.row.m16n16k16.f32.bf16.bf16.f32"
WGMMA = "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16"


@pytest.mark.parametrize(
    ("opcode", "flops"),
    [(MMA, 2 * 16 * 8 * 16), (WMMA, 2 * 16 * 16 * 16), (WGMMA, 2 * 64 * 256 * 16 / 4), ("fma.rn.f32", 0)],
)
def test_flops_follow_from_the_shape(opcode: str, flops: float) -> None:
    assert tensor_flops(opcode) == flops


def test_loads_of_fragments_are_no_arithmetic() -> None:
    assert tensor_flops("wmma.load.a.sync.aligned.row.m16n16k16.bf16") == 0


def test_bf16_runs_at_the_cards_peak() -> None:
    gpu = load_gpu("a100")
    per_second = tensor_flops(MMA) / tensor_clocks(MMA, gpu) * gpu.device.sm_count * gpu.device.clock_hz
    assert per_second == pytest.approx(gpu.device.bf16_tensor_flops)


def test_on_hopper_only_wgmma_reaches_the_peak() -> None:
    gpu = load_gpu("h100")
    rate = {op: tensor_flops(op) / tensor_clocks(op, gpu) for op in (MMA, WGMMA)}
    assert rate[MMA] == pytest.approx(0.63 * rate[WGMMA])


@pytest.mark.parametrize("kind", ["sp", "sp::ordered_metadata"])
def test_half_of_a_sparse_product_is_left_out(kind: str) -> None:
    gpu = load_gpu("h100")
    sparse = MMA.replace("mma.", f"mma.{kind}.", 1)
    assert tensor_clocks(sparse, gpu) == pytest.approx(tensor_clocks(MMA, gpu) / 2)


def test_tf32_takes_twice_and_fp8_half_as_long() -> None:
    gpu = load_gpu("h100")
    tf32 = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
    fp8 = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"
    bf16 = tensor_clocks(MMA, gpu) / tensor_flops(MMA)
    assert tensor_clocks(tf32, gpu) / tensor_flops(tf32) == pytest.approx(2 * bf16)
    assert tensor_clocks(fp8, gpu) / tensor_flops(fp8) == pytest.approx(bf16 / 2)


@pytest.mark.parametrize(("card", "faster"), [("a100", 2.0), ("h100", 1.0)])
def test_four_bits_are_faster_than_eight_only_before_hopper(card: str, faster: float) -> None:
    gpu = load_gpu(card)
    eight = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"
    four = "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32"
    rates = [tensor_flops(op) / tensor_clocks(op, gpu) for op in (four, eight)]
    assert rates[0] / rates[1] == pytest.approx(faster)
