"""Which neighbouring 32-bit accesses of shared memory ptxas makes one access of 64 or 128 bits.

Seen in SASS of sm_80 to sm_90: accesses of one base register at neighbouring offsets, where the first
address is known to be a multiple of the whole (`alignment`), with no store to shared memory between loads; in
an unrolled loop those of later rounds too, where the base advances by a constant.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from cudamaster.toolchain.devices.virtual.cost.alignment import SYMBOL, Low, LowBits
from cudamaster.toolchain.devices.virtual.cost.dataflow import address_of, writes
from cudamaster.toolchain.devices.virtual.ptx.nouns import TYPE_BYTES, Instruction, Register, Symbol

_WIDTHS = (4, 2, 1)
"""Words of an access, the widest first."""


def merged_shares(
    block: Sequence[Instruction], known: LowBits, copies: int = 1, steps: Mapping[str, int] | None = None
) -> dict[Instruction, float]:
    """For each such access 1 ÷ (accesses merged into one), averaged over the `copies` rounds of the block.

    `steps` are the constants by which registers advance each round.
    """
    walk = _Walk(known, copies, steps or {})
    for copy in range(copies):
        for instruction in block:
            walk.step(instruction, copy)
    walk.close(lambda key: True)
    return {i: sum(shares) / len(shares) for i, shares in walk.shares.items()}


_Key = tuple[str, str]
"""`ld` or `st`, and the base."""


class _Walk:
    """Collects accesses by base until something keeps later ones apart."""

    def __init__(self, known: LowBits, copies: int, steps: Mapping[str, int]) -> None:
        self.shares: defaultdict[Instruction, list[float]] = defaultdict(list)
        self._known, self._copies, self._steps = known, copies, steps
        self._open: defaultdict[_Key, list[tuple[int, Instruction]]] = defaultdict(list)

    def step(self, instruction: Instruction, copy: int) -> None:
        """Take the next instruction of round `copy`."""
        access = _shared_word(instruction)
        if access is not None:
            base, offset = access
            advance = self._steps.get(base, 0) * copy
            self._open[instruction.base, base].append((offset + advance, instruction))
        if instruction.base == "st" and "shared" in instruction.modifiers:
            self.close(lambda key: key[0] == "ld")
        if instruction.base in ("bar", "barrier"):
            self.close(lambda key: True)
        changed = {name for name in writes(instruction) if name not in self._steps}
        if changed:
            self.close(lambda key: key[1] in changed)

    def close(self, ends: Callable[[_Key], bool]) -> None:
        """Merge what has been collected under the keys that end."""
        for key in [key for key in self._open if ends(key)]:
            for group in _runs(self._open.pop(key), self._low_bits(key[1])):
                for instruction in group:
                    self.shares[instruction].append(1 / len(group))

    def _low_bits(self, base: str) -> Low:
        if base in self._steps:
            return self._known.stepping(base, self._steps[base] * self._copies)
        return self._known.of(base) if base.startswith("%") else SYMBOL


def _shared_word(instruction: Instruction) -> tuple[str, int] | None:
    """(base, offset) of an unguarded, scalar 32-bit load or store of shared memory."""
    modifiers = instruction.modifiers
    if instruction.base not in ("ld", "st") or "shared" not in modifiers or instruction.guard is not None:
        return None
    if TYPE_BYTES.get(instruction.type) != 4 or not {"v2", "v4", "volatile"}.isdisjoint(modifiers):
        return None
    address = address_of(instruction)
    match address.base if address else None:
        case Register(name) | Symbol(name):
            return name, address.offset if address else 0
    return None


def _runs(accesses: Sequence[tuple[int, Instruction]], base: Low) -> list[list[Instruction]]:
    """Cut a base's accesses into aligned runs of four, two or one neighbouring words."""
    by_offset = dict(sorted(accesses, key=lambda access: access[0]))
    runs = []
    while by_offset:
        start = next(iter(by_offset))
        words = next(
            w
            for w in _WIDTHS
            if w == 1
            or (base.is_multiple(4 * w, start) and all(start + 4 * n in by_offset for n in range(w)))
        )
        runs.append([by_offset.pop(start + 4 * n) for n in range(words)])
    return runs
