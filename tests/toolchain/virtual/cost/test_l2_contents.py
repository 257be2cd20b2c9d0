"""What L2 holds for the next launch: bytes by their addresses, wherever its pointers lead."""

import struct

import pytest

from cudamaster.toolchain.devices.virtual.cost.l2_contents import L2Contents, Stretch, moves, stretches
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from tests.doubles.known_kernels import PARAMETERS, POINTERS, A, B, pointers_moved
from tests.doubles.sampled_launch import kernel_of, run_of_sectors, sampled

BLOCK_BYTES = 1024


def launch_on(
    first: int, blocks: int, *, size: int = 1 << 20, parameters: bytes = PARAMETERS
) -> SampledLaunch:
    return sampled(
        kernel_of("ret;", POINTERS),
        grid=(blocks, 1, 1),
        block=(256, 1, 1),
        footprint=lambda block: run_of_sectors(first + BLOCK_BYTES * block, BLOCK_BYTES),
        allocations=((A, size), (B, size)),
        parameters=parameters,
    )


def test_the_last_bytes_touched_stay() -> None:
    contents = L2Contents(100.0, (Stretch(0, 80, 80.0),)).after([Stretch(500, 560, 60.0)])
    assert contents.resident == (Stretch(500, 560, 60.0), Stretch(0, 80, 40.0))


def test_what_is_touched_again_counts_once() -> None:
    contents = L2Contents(1000.0, (Stretch(0, 100, 100.0),)).after([Stretch(20, 60, 40.0)])
    assert contents.resident == (Stretch(20, 60, 40.0), Stretch(0, 20, 20.0), Stretch(60, 100, 40.0))


def test_more_than_l2_has_room_for_is_held_in_part() -> None:
    contents = L2Contents(100.0, ()).after([Stretch(0, 400, 400.0)])
    assert contents.held(Stretch(0, 400, 400.0)) == 0.25


@pytest.mark.parametrize(
    ("wanted", "share"),
    [
        (Stretch(0, 100, 100.0), 1.0),
        (Stretch(50, 150, 100.0), 0.5),
        (Stretch(100, 200, 100.0), 0.0),
        (Stretch(0, 100, 10.0), 1.0),
    ],
)
def test_only_bytes_at_the_same_addresses_are_held(wanted: Stretch, share: float) -> None:
    assert L2Contents(1000.0, (Stretch(0, 100, 100.0),)).held(wanted) == share


def test_a_launch_reaches_from_its_first_block_to_its_last() -> None:
    touched = 64 * BLOCK_BYTES
    where = stretches(launch_on(A + 4096, 64), (touched, 0.0, 0.0))
    assert where == (Stretch(A + 4096, A + 4096 + touched, touched), None, None)


def test_more_bytes_than_between_the_samples_reach_farther() -> None:
    (where, _, _) = stretches(launch_on(A, 2, size=8192), (8192.0, 0.0, 0.0))
    assert where == Stretch(A, A + 8192, 8192.0)


def test_another_launchs_pointers_lead_elsewhere() -> None:
    launch = launch_on(A, 64)
    where = stretches(launch, (64 * BLOCK_BYTES, 0.0, 0.0))
    assert moves(launch, where, PARAMETERS) == (0, 0, 0)
    assert moves(launch, where, pointers_moved(65536))[0] == 65536


def test_of_two_pointers_into_a_buffer_the_one_before_the_bytes_counts() -> None:
    parameters = struct.pack("<3Q", A, A + 8192, B)
    launch = launch_on(A + 8192, 8, parameters=parameters)
    where = stretches(launch, (8.0 * BLOCK_BYTES, 0.0, 0.0))
    assert moves(launch, where, struct.pack("<3Q", A, A + 65536, B))[0] == 65536 - 8192
