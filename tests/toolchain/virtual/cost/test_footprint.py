from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.cost.footprint import BufferFootprint, buffer_footprints
from tests.doubles.known_kernels import A, B, C, matrices, tiles
from tests.doubles.sampled_launch import kernel_of, run_of_sectors, sampled

Footprint = Callable[[int], NDArray[np.uint64]]


def measured(
    footprint: Footprint,
    allocations: tuple[tuple[int, int], ...],
    grid: tuple[int, int, int],
    samples: list[int] | None = None,
) -> tuple[BufferFootprint, ...]:
    launch = sampled(
        kernel_of("ret;"),
        grid=grid,
        block=(256, 1, 1),
        footprint=footprint,
        allocations=allocations,
        samples=samples,
    )
    return buffer_footprints(launch, access_bytes=64)


def test_blocks_of_a_stream_share_nothing() -> None:
    (stream, _) = measured(lambda b: run_of_sectors(A + 1024 * b, 1024), ((A, 1 << 20),), (1024, 1, 1))
    assert stream.shared_x == 0
    assert stream.grid((1024, 1, 1)) == 1 << 20
    assert stream.rectangle(10, 1) == 10 * 1024


def test_blocks_of_a_matrix_product_share_rows_in_x_and_columns_in_y() -> None:
    n = 1024
    rows, columns, own, _ = measured(tiles(n, 32, 32), matrices(n), (32, 32, 1))
    assert (rows.shared_x, rows.shared_y) == (1, 0)
    assert (columns.shared_x, columns.shared_y) == (0, 1)
    assert [f.grid((32, 32, 1)) for f in (rows, columns, own)] == [4 * n * n] * 3


def test_a_row_of_blocks_touches_one_panel_of_the_left_matrix_and_all_of_the_right() -> None:
    n = 1024
    rows, columns, _, _ = measured(tiles(n, 32, 32), matrices(n), (32, 32, 1))
    assert rows.rectangle(32, 1) == 4 * n * 32
    assert columns.rectangle(32, 1) == 4 * n * n


def test_tiles_walked_by_a_grid_of_one_dimension_still_cover_the_matrix() -> None:
    n = 1024
    rows, columns, _, _ = measured(tiles(n, 32, 32), matrices(n), (1024, 1, 1))
    assert rows.grid((1024, 1, 1)) == 4 * n * n
    assert columns.grid((1024, 1, 1)) == 4 * n * n


def test_the_halo_of_a_stencil_is_shared() -> None:
    def footprint(block: int) -> NDArray[np.uint64]:
        return run_of_sectors(A + max(0, 4096 * block - 512), 4096 + 1024)

    (field, _) = measured(footprint, ((A, 4096 * 1000),), (1000, 1, 1))
    assert field.shared_x == pytest.approx(0.2)
    assert field.rectangle(100, 1) == pytest.approx(4096 * 100, rel=0.02)
    assert field.grid((1000, 1, 1)) == 4096 * 1000


def test_random_reads_saturate_instead_of_adding_up() -> None:
    size, per_block = 1 << 20, 2000

    def footprint(block: int) -> NDArray[np.uint64]:
        drawn = np.random.default_rng(block).integers(0, size // 32, per_block)
        return np.unique(drawn).astype(np.uint64) + np.uint64(A // 32)

    (x, _) = measured(footprint, ((A, size),), (16, 1, 1), samples=[0, 4, 5, 11, 15])
    truth = 64 * len(np.unique(np.concatenate([footprint(b) // 2 for b in range(16)])))
    assert x.random
    assert x.grid((16, 1, 1)) == pytest.approx(truth, rel=0.02)


def test_what_every_block_reads_counts_once() -> None:
    (bias, _) = measured(lambda b: run_of_sectors(A, 4096), ((A, 4096),), (500, 1, 1))
    assert bias.grid((500, 1, 1)) == 4096


def test_the_tile_of_a_transpose_covers_both_matrices() -> None:
    n = 1024

    def footprint(block: int) -> NDArray[np.uint64]:
        y, x = divmod(block, n // 32)
        lines = np.arange(32)[:, None] * (n // 8) + np.arange(4)
        read = lines + A // 32 + y * 32 * n // 8 + x * 4
        written = lines + B // 32 + x * 32 * n // 8 + y * 4
        return np.concatenate([read.ravel(), written.ravel()]).astype(np.uint64)

    found = measured(footprint, ((A, 4 * n * n), (B, 4 * n * n)), (32, 32, 1))
    assert [f.grid((32, 32, 1)) for f in found[:2]] == [4 * n * n] * 2


def test_addresses_outside_every_allocation_are_kept_apart() -> None:
    found = measured(lambda b: run_of_sectors(C, 256), ((A, 4096),), (4, 1, 1))
    assert found[0].own_bytes == 0
    assert found[-1].own_bytes == 256


def test_random_accesses_are_drawn_from_the_stretch_that_blocks_were_seen_in() -> None:
    def touched(block: int) -> NDArray[np.uint64]:
        rng = np.random.default_rng(block)
        return np.unique(A // 32 + rng.integers(0, (1 << 20) // 32, 256, dtype=np.uint64))

    (part, _) = measured(touched, ((A, 1 << 26),), (4096, 1, 1))
    assert part.random
    assert part.size_bytes == pytest.approx(1 << 20, rel=0.02)
    assert part.grid((4096, 1, 1)) == pytest.approx(1 << 20, rel=0.02)
    assert part.private > 0.9
