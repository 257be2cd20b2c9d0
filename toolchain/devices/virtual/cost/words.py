"""Which loads may be of words that stores before them write, as far as ptxas can tell by their addresses."""

import functools
from collections import defaultdict
from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

from cudamaster.toolchain.devices.virtual.cost.dataflow import KEPT_INSTRUCTIONS, address_of
from cudamaster.toolchain.devices.virtual.ptx.nouns import TYPE_BYTES, Instruction

_NEVER_WRITTEN = frozenset({"nc", "const", "param"})
_SPACES = ("global", "shared", "local")
_VECTORS = {"v2": 2, "v4": 4}
T = TypeVar("T")


class Place(NamedTuple):
    """The bytes that a load or store is of."""

    space: str
    base: str
    first: int
    end: int


@functools.lru_cache(KEPT_INSTRUCTIONS)
def place_of(instruction: Instruction) -> Place | None:
    """None for what is no load or store, or of memory that no kernel writes."""
    modifiers, address = instruction.modifiers, address_of(instruction)
    if instruction.base not in ("ld", "st") or not _NEVER_WRITTEN.isdisjoint(modifiers) or address is None:
        return None
    space = next((m for m in modifiers if m in _SPACES), "generic")
    elements = next((count for vector, count in _VECTORS.items() if vector in modifiers), 1)
    end = address.offset + TYPE_BYTES.get(instruction.type, 1) * elements
    return Place(space, str(address.base), address.offset, end)


class Stores(Generic[T]):
    """Stores that have been made, with something about each."""

    def __init__(self) -> None:
        self._made: defaultdict[str, defaultdict[str, list[tuple[Place, T]]]] = defaultdict(
            lambda: defaultdict(list)
        )

    def add(self, place: Place, about: T) -> None:
        """Take one more."""
        self._made[place.space][place.base].append((place, about))

    def that_may_be(self, load: Place) -> Iterator[T]:
        """Of stores to what a load may be of: the last by each other base, all that overlap by its own."""
        for base, made in self._made[load.space].items():
            if base != load.base:
                yield made[-1][1]
                continue
            for place, about in made:
                if place.first < load.end and load.first < place.end:
                    yield about
