"""Clusters: where their blocks are, their shared memory, their barrier, and copies between them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.launch import (
    LANES,
    REQUESTS,
    SECTORS,
    LaunchRequest,
    SampledLaunch,
)
from cudamaster.toolchain.devices.virtual.watching import Watch
from tests.toolchain.virtual.isa.conftest import Array, Runner

SOURCE = Path(__file__).with_name("clusters.cu")
RNG = np.random.default_rng(10)
SIZES = [1, 2, 4, 8, 16]


@pytest.fixture(scope="module")
def ptx(nvcc: Callable[..., str]) -> str:
    return nvcc(SOURCE)


def numbers(count: int) -> Array:
    return RNG.integers(0, 1000, count).astype(np.int32)


def test_each_block_knows_its_place(runner: Runner, ptx: str) -> None:
    found = np.zeros((6, 8, 10), np.int32)
    engine = runner.engine(ptx)
    place = runner.upload(found)
    request = LaunchRequest("places", (8, 6, 1), (32, 1, 1), 0, place.to_bytes(8, "little"), False, (4, 2, 1))
    assert engine.launch(request) is None
    runner.download(place, found)
    for y in range(6):
        for x in range(8):
            rank, cluster = y % 2 * 4 + x % 4, y // 2 * 2 + x // 4
            assert found[y, x].tolist() == [x % 4, y % 2, 4, 2, rank, 8, cluster, 2, 3, 1]


@pytest.mark.parametrize("size", SIZES)
def test_a_block_reads_its_neighbours_shared_memory(runner: Runner, ptx: str, size: int) -> None:
    x, found = numbers(64 * 16), np.zeros(64 * 16, np.int32)
    assert runner.launch(ptx, "ring", [x, found], 64, grid=16, cluster=size, threads=2) is None
    blocks = np.arange(16)
    neighbour = blocks // size * size + (blocks % size + 1) % size
    wanted = x.reshape(16, 64)[neighbour, ::-1] + 1000 * (neighbour % size)[:, None]
    assert np.array_equal(found.reshape(16, 64), wanted)


def test_a_histogram_spread_over_a_cluster(runner: Runner, ptx: str) -> None:
    x, bins = RNG.integers(0, 512, 4000).astype(np.int32), np.zeros(512, np.int32)
    arguments = [x, bins, np.int32(4000), np.int32(128)]
    assert runner.launch(ptx, "histogram", arguments, 128, grid=4, cluster=4, shared=512) is None
    assert np.array_equal(bins, np.bincount(x, minlength=512))


def test_addresses_of_the_clusters_shared_memory(runner: Runner, ptx: str) -> None:
    found = np.zeros((4, 9), np.int32)
    assert runner.launch(ptx, "windows", [found], 1, grid=4, cluster=4) is None
    for rank in range(4):
        after, before = (rank + 1) % 4, (rank + 3) % 4
        assert found[rank].tolist() == [after, rank, 100 + before, 7 + before, 7, 100 + rank, 1, 0, 1]


@pytest.mark.parametrize("threads", [32, 96])
def test_arriving_early_and_waiting_late(runner: Runner, ptx: str, threads: int) -> None:
    x, found = numbers(256), np.zeros(256, np.int32)
    assert runner.launch(ptx, "split", [x, found], threads, grid=8, cluster=4) is None
    pairs = x.reshape(4, 2, 32).sum(axis=1, keepdims=True)
    assert np.array_equal(found.reshape(4, 2, 32), np.repeat(4 * pairs, 2, axis=1))


@pytest.mark.parametrize("size", [1, 4])
def test_stores_that_complete_on_the_receivers_barrier(runner: Runner, ptx: str, size: int) -> None:
    x, found = numbers(128), np.zeros(128, np.int32)
    assert runner.launch(ptx, "post", [x, found], 32, grid=4, cluster=size) is None
    sent = np.roll(x.reshape(-1, size, 32), 1, axis=1)
    assert np.array_equal(found.reshape(sent.shape), 2 * sent + 3 + 10000 * sent.sum(axis=2, keepdims=True))


def test_arrivals_of_all_blocks_at_one_barrier(runner: Runner, ptx: str) -> None:
    found = np.zeros(8, np.int32)
    assert runner.launch(ptx, "gather_arrivals", [found], 32, grid=8, cluster=8) is None
    assert found.tolist() == [3 * rank + 1 for rank in range(8)]


@pytest.mark.parametrize("mask", [0b1111, 0b1010])
def test_a_row_goes_to_all_blocks_of_a_mask(runner: Runner, ptx: str, mask: int) -> None:
    x, found = numbers(64), np.zeros((4, 64), np.int32)
    assert runner.launch(ptx, "spread", [x, found, np.uint32(mask)], 64, grid=4, cluster=4) is None
    for rank in range(4):
        sender = (rank + 3) % 4
        assert np.array_equal(found[rank], np.where(mask >> sender & 1, x, -1) + sender)


def test_rows_are_reduced_in_global_and_shared_memory(runner: Runner, ptx: str) -> None:
    x, n = RNG.integers(-50, 50, (4, 64)).astype(np.float32), RNG.integers(-50, 50, (4, 64)).astype(np.int32)
    total, largest = np.ones(64, np.float32), np.zeros(64, np.int32)
    assert runner.launch(ptx, "reduce_rows", [x, total, n, largest], 64, grid=4, cluster=4) is None
    assert np.array_equal(total, 1 + x.sum(axis=0))
    assert np.array_equal(largest, np.maximum(n.max(axis=0), 0))


@pytest.mark.parametrize(
    ("kernel", "kind", "words"),
    [
        ("no_such_rank", "illegal", "no block of the rank"),
        ("ended_too_early", "ended", "which has ended"),
        ("lost_at_the_cluster", "barrier_divergence", "different barriers"),
        (
            "past_the_end",
            "out_of_bounds",
            "744 bytes past the end of the shared memory of a block of the cluster",
        ),
    ],
)
def test_what_is_wrong_is_named(runner: Runner, ptx: str, kernel: str, kind: str, words: str) -> None:
    fault = runner.launch(ptx, kernel, [np.zeros(64, np.int32)], 64, grid=2, cluster=2)
    assert fault is not None
    assert fault.kind == kind
    assert words in fault.message
    line = SOURCE.read_text().splitlines()[(fault.line or 1) - 1]
    assert fault.line
    assert any(word in line for word in ("map_shared_rank", "sync", "asm"))


def test_bytes_that_never_come_are_a_deadlock(runner: Runner, ptx: str) -> None:
    x, y = numbers(64), np.zeros(64, np.int32)
    fault = runner.launch(ptx, "too_many_bytes_expected", [x, y], 64)
    assert fault is not None
    assert fault.kind == "deadlock"


@pytest.mark.parametrize("kernel", ["ring", "split"])
def test_watched_clusters_are_ordered_by_their_barrier(runner: Runner, ptx: str, kernel: str) -> None:
    watch = Watch()
    assert (
        runner.launch(ptx, kernel, [numbers(256), numbers(256)], 64, grid=4, cluster=2, watch=watch) is None
    )
    assert not watch.faults
    assert not watch.notes


def test_blocks_are_counted_among_their_clusters(runner: Runner, ptx: str) -> None:
    """Two of eight are: they run with their neighbours, and give the same counts."""
    x, y = numbers(64 * 8), np.zeros(64 * 8, np.int32)
    places = [runner.upload(array) for array in (x, y)]
    packed = b"".join(place.to_bytes(8, "little") for place in places)
    request = LaunchRequest("ring", (8, 1, 1), (64, 1, 1), 0, packed, False, (4, 1, 1))
    counts = []
    for blocks in ([5], [5, 6], list(range(8))):
        sample = runner.engine(ptx).sample(request, blocks)
        assert isinstance(sample, SampledLaunch)
        counts.append(sample.site_counts[:, [REQUESTS, LANES, SECTORS]])
    for place, array in zip(places, (x, y), strict=True):
        runner.download(place, array)
    assert counts[0].any()
    assert np.array_equal(counts[1], 2 * counts[0])
    assert np.array_equal(counts[2], 8 * counts[0])
