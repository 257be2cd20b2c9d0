"""What launches that overlap the one before them may use without a wait."""

import ctypes
from dataclasses import dataclass, field

import pytest

from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.overlapping import MOST_BYTES, InFlight, Ordering
from cudamaster.toolchain.outputs import Fault

QUIET, RELEASES = Ordering(False, False, frozenset()), Ordering(True, False, frozenset())
WAITS, BOTH = Ordering(False, True, frozenset()), Ordering(True, True, frozenset())
NAMES = Ordering(True, False, frozenset({"table", "a_label"}))


@dataclass
class Device:
    """Buffers `a` to `c` and a variable `table`; a launch adds 1 to what it writes."""

    orderings: dict[str, Ordering]
    bytes_each: int = 64
    memory: dict[str, ctypes.Array[ctypes.c_char]] = field(default_factory=dict)
    writes: str = ""

    def __post_init__(self) -> None:
        self.memory = {
            name: ctypes.create_string_buffer(self.bytes_each) for name in ("a", "b", "c", "table")
        }

    def launch(self, request: LaunchRequest) -> Fault | None:
        for name in self.writes.split():
            self.memory[name][0] = bytes([self.memory[name][0][0] + 1])
        return None

    def ordering(self, request: LaunchRequest) -> Ordering:
        return self.orderings[request.kernel]

    def allocations(self) -> tuple[tuple[int, int], ...]:
        return tuple((ctypes.addressof(m), len(m)) for m in self.memory.values())

    def symbol_address(self, name: str) -> int:
        return ctypes.addressof({"table": self.memory["table"]}[name])


def told(device: Device, *launches: tuple[str, str, str, bool]) -> list[str]:
    """The faults of launches: a kernel, the buffers it is given, those it writes, whether it overlaps."""
    in_flight, found = InFlight(), []
    for kernel, given, device.writes, overlaps in launches:
        if kernel == "memset":
            in_flight.wait()
            continue
        words = b"".join(
            (ctypes.addressof(device.memory[name]) + 8).to_bytes(8, "little") for name in given.split()
        )
        request = LaunchRequest(kernel, (1, 1, 1), (32, 1, 1), 0, words, overlaps=overlaps)
        ended, fault = in_flight.run(request, device)
        assert ended is None
        found += [str(fault)] if fault else []
    return found


def test_who_reads_what_the_one_before_writes_and_never_waits_is_told_with_both_names() -> None:
    device = Device({"first": RELEASES, "second": QUIET})
    (words,) = told(device, ("first", "a b", "b", False), ("second", "b c", "c", True))
    assert words.startswith("a missing wait: it is launched to overlap first, the kernel before it, ")
    assert words.endswith("(kernel second)")


def test_who_writes_what_the_one_before_reads_is_told_too() -> None:
    device = Device({"first": RELEASES, "second": QUIET})
    assert told(device, ("first", "a b", "b", False), ("second", "a c", "a", True))


def test_a_kernel_is_told_of_once() -> None:
    device = Device({"first": RELEASES, "second": QUIET})
    launches = (("first", "a b", "b", False), ("second", "b c", "c", True))
    assert len(told(device, *launches, *launches)) == 1


def test_module_variables_are_memory_that_is_shared() -> None:
    device = Device({"first": NAMES, "second": NAMES})
    assert told(device, ("first", "a", "table", False), ("second", "b", "b", True))


@pytest.mark.parametrize(
    ("orderings", "launches"),
    [
        pytest.param((RELEASES, WAITS), ("a b", "b", "b c", "c", True), id="it waits"),
        pytest.param((QUIET, QUIET), ("a b", "b", "b c", "c", True), id="the first never lets it begin"),
        pytest.param((RELEASES, QUIET), ("a b", "b", "b c", "c", False), id="it is launched as ever"),
        pytest.param((RELEASES, QUIET), ("a b", "b", "a c", "c", True), id="both only read what they share"),
    ],
)
def test_honest_launches_are_not_told_of(
    orderings: tuple[Ordering, Ordering], launches: tuple[str, str, str, str, bool]
) -> None:
    given, written, then_given, then_written, overlaps = launches
    device = Device(dict(zip(("first", "second"), orderings, strict=True)))
    assert not told(device, ("first", given, written, False), ("second", then_given, then_written, overlaps))


def test_a_fill_in_between_waits_for_the_first() -> None:
    device = Device({"first": RELEASES, "second": QUIET})
    assert not told(device, ("first", "a", "a", False), ("memset", "", "", False), ("second", "a", "", True))


def test_one_in_the_middle_that_waits_has_waited_for_the_third_too_unless_it_may_let_it_begin_first() -> None:
    chain = (("first", "a", "a", False), ("second", "b", "b", True), ("third", "a", "", True))
    assert not told(Device({"first": RELEASES, "second": WAITS, "third": QUIET}), *chain)
    for second in (BOTH, RELEASES):
        assert told(Device({"first": RELEASES, "second": second, "third": QUIET}), *chain)


def test_much_memory_is_not_looked_at() -> None:
    device = Device({"first": RELEASES, "second": QUIET}, bytes_each=MOST_BYTES + 1)
    assert not told(device, ("first", "a", "a", False), ("second", "a", "", True))
