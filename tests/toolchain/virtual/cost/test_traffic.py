import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.cost.subject import subject_of
from cudamaster.toolchain.devices.virtual.cost.traffic import Traffic, estimate_traffic, use_of
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from tests.doubles.known_kernels import PARAMETERS, POINTERS, A, copy, register_product, resources
from tests.doubles.sampled_launch import Touch, kernel_of, run_of_sectors, sampled

MIB = 1 << 20


def traffic(launch: SampledLaunch, gpu: str = "h200", held: tuple[float, ...] | None = None) -> Traffic:
    use = use_of(subject_of(launch, resources(), load_gpu(gpu)))
    return estimate_traffic(use, held or (0.0,) * len(use.where))


def test_a_copy_moves_each_byte_once() -> None:
    moved = traffic(copy(64 * MIB // 4))
    assert (moved.dram_read_bytes, moved.dram_write_bytes) == (64 * MIB, 64 * MIB)
    assert moved.l2_bytes == 128 * MIB


def test_words_apart_are_written_as_whole_sectors() -> None:
    def footprint(block: int) -> NDArray[np.uint64]:
        return run_of_sectors(A + 256 * 64 * block, 256 * 64)[::2]

    body = "ld.param.u64 %rd1, [pa]; st.global.f32 [%rd1], %f1; ret;"
    launch = sampled(
        kernel_of(body, POINTERS),
        grid=(4096, 1, 1),
        block=(256, 1, 1),
        touches=[Touch(32, 32, 16)],
        footprint=footprint,
        allocations=((A, 4096 * 256 * 64),),
        parameters=PARAMETERS,
    )
    assert traffic(launch).dram_write_bytes == 4096 * 256 * 32


def test_what_l2_still_holds_is_not_read_from_dram() -> None:
    launch = copy(8 * MIB // 4)
    warm = traffic(launch, held=(1.0, 0.0, 0.0))
    assert warm.dram_read_bytes == 0
    assert warm.dram_write_bytes == 8 * MIB


def test_matrices_that_fit_in_l2_are_read_once() -> None:
    assert traffic(register_product(1024)).dram_read_bytes == pytest.approx(2 * 4 * 1024**2, rel=0.01)


def test_matrices_larger_than_l2_are_read_again_by_later_waves() -> None:
    once = 2 * 4 * 4096**2
    read = traffic(register_product(4096), "a6000").dram_read_bytes
    assert 1.3 * once < read < 8 * once


def sweeps(columns: int, count: int) -> Traffic:
    """A block a row, `count` loops over it, L1 far too small."""
    loop = "{0}: ld.global.f32 %f1, [%rd1]; add.s32 %r1, %r1, %r2; setp.ne.s32 %p1, %r1, %r3; @%p1 bra {0};\n"
    body = "ld.param.u64 %rd1, [pa];\n" + "".join(loop.format(f"L{i}") for i in range(count)) + "ret;"
    kernel = kernel_of(body, POINTERS)
    rounds = columns / 256

    def footprint(block: int) -> NDArray[np.uint64]:
        return run_of_sectors(A + 4 * columns * block, 4 * columns)

    launch = sampled(
        kernel,
        grid=(132 * 8, 1, 1),
        block=(256, 1, 1),
        executions={i + 1: rounds for i in range(count)},
        touches=[Touch(4, 4)] * count,
        footprint=footprint,
        allocations=((A, 4 * columns * 132 * 8),),
        parameters=PARAMETERS,
    )
    return traffic(launch)


def test_a_second_sweep_over_short_rows_hits_l2() -> None:
    assert sweeps(2048, 3).dram_read_bytes == pytest.approx(sweeps(2048, 1).dram_read_bytes)


def test_a_second_sweep_over_long_rows_reads_dram_again() -> None:
    once, three = sweeps(1 << 18, 1).dram_read_bytes, sweeps(1 << 18, 3).dram_read_bytes
    assert 2.5 * once < three <= 3 * once


@pytest.mark.parametrize(("table_mib", "share"), [(8, 0.0), (1024, 0.96)])
def test_random_reads_of_a_large_table_miss_l2_as_often_as_it_is_larger(table_mib: int, share: float) -> None:
    def touched(block: int) -> NDArray[np.uint64]:
        rng = np.random.default_rng(block)
        return np.unique(A // 32 + rng.integers(0, table_mib * MIB // 32, 8192, dtype=np.uint64))

    blocks, reads = 16384, 8192
    launch = sampled(
        kernel_of("ld.param.u64 %rd1, [pa]; ld.global.f32 %f1, [%rd1]; ret;", POINTERS),
        grid=(blocks, 1, 1),
        block=(256, 1, 1),
        touches=[Touch(reads / 8, reads / 8, reads / 8)],
        footprint=touched,
        allocations=((A, table_mib * MIB),),
        parameters=PARAMETERS,
    )
    read = traffic(launch).dram_read_bytes
    assert read == pytest.approx(max(table_mib * MIB, share * blocks * reads * 64), rel=0.03)
