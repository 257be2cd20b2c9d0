"""Which GPUs a name such as `cuda`, `cuda:1`, `cuda:0,1`, `cuda:all` or `cuda:0,shared` means."""

import re
from dataclasses import dataclass

from cudamaster.toolchain.errors import UnknownDevice

ALL, SHARED = "all", "shared"


@dataclass(frozen=True, slots=True)
class Selection:
    """What follows the colon of a device's name."""

    indices: tuple[int, ...] | None
    """In the order named, as the driver counts; None for all."""
    shared: bool = False
    """Whether other processes may use the GPU meanwhile."""

    def among(self, count: int) -> tuple[int, ...]:
        """The indices of the machine's `count` GPUs. Raises UnknownDevice where one is not there."""
        chosen = tuple(range(count)) if self.indices is None else self.indices
        for index in chosen:
            if index >= count:
                there = ", ".join(f"cuda:{i}" for i in range(count))
                raise UnknownDevice(f"there is no cuda:{index}; this machine has {there}")
        return chosen


def parse_selection(argument: str | None) -> Selection:
    """What `argument`, the name without `cuda:`, selects; GPU 0 where it names none. Raises UnknownDevice."""
    words = [word.strip() for word in (argument or "0").split(",")]
    shared = SHARED in words
    numbers = [word for word in words if word != SHARED] or ["0"]
    if numbers == [ALL]:
        return Selection(None, shared)
    if not all(re.fullmatch(r"\d{1,4}", number) for number in numbers):
        raise UnknownDevice(
            f"'cuda:{argument}' is no GPU's name; it is cuda, cuda:1, cuda:0,1 or cuda:all, and "
            "cuda:0,shared for a GPU that others use too"
        )
    return Selection(tuple(dict.fromkeys(int(number) for number in numbers)), shared)
