"""What is known of the low bits of a kernel's registers, as ptxas knows it: is an address a multiple of 16?

A register's value is known modulo a power of two, from the constants it is computed with. What is loaded, or
comes of any operation not listed here, is unknown; so is a register that nothing writes.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cudamaster.toolchain.devices.virtual.cost.dataflow import KEPT_KERNELS, writes
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    TYPE_BYTES,
    Instruction,
    Integer,
    Kernel,
    Operand,
    Register,
    Symbol,
)

_MOST_BITS = 7
_WORD_BYTES = 4
_SOURCES = {"selp": 2}
"""Operands that are values, where it is not all of them."""


class Low(NamedTuple):
    """The low bits of a value."""

    bits: int
    """How many are known."""
    value: int

    def is_multiple(self, of_bytes: int, offset: int = 0) -> bool:
        """Whether the value plus an offset is a multiple of a power of two, as far as is known."""
        return (1 << self.bits) % of_bytes == 0 and (self.value + offset) % of_bytes == 0


UNKNOWN = Low(0, 0)
SYMBOL = Low(4, 0)
"""ptxas places arrays of shared memory at multiples of 16 bytes."""


@dataclass(frozen=True, slots=True)
class LowBits:
    """What is known of the registers that instructions write."""

    at_all_times: Mapping[str, Low]
    before_steps: Mapping[str, Low]
    """The same, but for what comes of adding a constant to the register itself."""

    def of(self, name: str) -> Low:
        """Of a register wherever it is read."""
        return self.at_all_times.get(name, UNKNOWN)

    def stepping(self, name: str, step: int) -> Low:
        """Of a register that a loop advances by `step` bytes, at the start of each round."""
        begun = self.before_steps.get(name, UNKNOWN)
        return _cut(min(begun.bits, _zeros(_low(step))), begun.value)


@functools.lru_cache(KEPT_KERNELS)
def low_bits(kernel: Kernel) -> LowBits:
    """What is known of each register of a kernel."""
    code = [instruction for block in kernel.blocks for instruction in block]
    known = {name: UNKNOWN for i in code if not _computes(i) for name in writes(i)}
    computing = [instruction for instruction in code if _computes(instruction)]
    written = frozenset(known).union(*map(writes, computing))
    changed = True
    while changed:
        changed = sum(_learn(instruction, known, written, known) for instruction in computing) > 0
    begun: dict[str, Low] = {}
    for instruction in computing:
        if not _is_step(instruction):
            _learn(instruction, begun, written, known)
    return LowBits(known, begun)


def _learn(i: Instruction, told: dict[str, Low], written: frozenset[str], known: Mapping[str, Low]) -> bool:
    """Whether `told` has changed by what one instruction makes of what is known."""
    (name,) = writes(i)
    found = _result(i, written, known)
    if found is None:
        return False
    merged = _either(told[name], found) if name in told else found
    changed = told.get(name) != merged
    told[name] = merged
    return changed


def _computes(instruction: Instruction) -> bool:
    is_listed = instruction.base in _RULES and "hi" not in instruction.modifiers
    return is_listed and TYPE_BYTES.get(instruction.type, 0) >= _WORD_BYTES and len(writes(instruction)) == 1


def _is_step(instruction: Instruction) -> bool:
    target, *sources = instruction.operands
    return instruction.base == "add" and sources[0] == target and isinstance(sources[1], Integer)


def _result(instruction: Instruction, written: frozenset[str], known: Mapping[str, Low]) -> Low | None:
    """None while a source has not been reached: a loop's own value comes after the one it begins with."""
    values: list[Low] = []
    for source in instruction.operands[1 : 1 + _SOURCES.get(instruction.base, 3)]:
        value = _value(source, written, known)
        if value is None:
            return None
        values.append(value)
    return _RULES[instruction.base](values)


def _value(operand: Operand, written: frozenset[str], known: Mapping[str, Low]) -> Low | None:
    match operand:
        case Integer(value):
            return _low(value)
        case Symbol(_, offset):
            return _sum([SYMBOL, _low(offset)])
        case Register(name) if name in written:
            return known.get(name)
    return UNKNOWN


def _low(value: int) -> Low:
    return Low(_MOST_BITS, value % (1 << _MOST_BITS))


def _cut(bits: int, value: int) -> Low:
    bits = min(bits, _MOST_BITS)
    return Low(bits, value % (1 << bits))


def _either(one: Low, other: Low) -> Low:
    """What is known of a value that is one of two."""
    bits = min(one.bits, other.bits)
    while bits and (one.value - other.value) % (1 << bits):
        bits -= 1
    return _cut(bits, one.value)


def _zeros(value: Low) -> int:
    """Low bits known to be 0."""
    return next((bit for bit in range(value.bits) if value.value >> bit & 1), value.bits)


def _sum(values: Sequence[Low]) -> Low:
    return _cut(min(v.bits for v in values), sum(v.value for v in values))


def _difference(values: Sequence[Low]) -> Low:
    return _cut(min(v.bits for v in values), values[0].value - values[1].value)


def _product(values: Sequence[Low]) -> Low:
    one, other = values[:2]
    return _cut(min(one.bits + _zeros(other), other.bits + _zeros(one)), one.value * other.value)


def _product_and_sum(values: Sequence[Low]) -> Low:
    return _sum([_product(values[:2]), values[2]])


def _shifted(values: Sequence[Low]) -> Low:
    value, by = values
    return _cut(value.bits + by.value, value.value << by.value) if by.bits == _MOST_BITS else UNKNOWN


def _bitwise(values: Sequence[Low], one_decides: int | None, join: Callable[[int, int], int]) -> Low:
    """Bit by bit from the lowest; a bit of either value that is `one_decides` settles the result alone."""
    one, other = values
    found = 0
    for bit in range(_MOST_BITS):
        pair = [value.value >> bit & 1 if bit < value.bits else None for value in (one, other)]
        if one_decides is not None and one_decides in pair:
            found |= one_decides << bit
        elif pair[0] is None or pair[1] is None:
            return Low(bit, found)
        else:
            found |= join(pair[0], pair[1]) << bit
    return Low(_MOST_BITS, found)


_RULES: Mapping[str, Callable[[Sequence[Low]], Low]] = {
    "mov": lambda values: values[0],
    "cvt": lambda values: values[0],
    "cvta": lambda values: values[0],
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "mul24": _product,
    "mad": _product_and_sum,
    "shl": _shifted,
    "and": lambda values: _bitwise(values, 0, int.__and__),
    "or": lambda values: _bitwise(values, 1, int.__or__),
    "xor": lambda values: _bitwise(values, None, int.__xor__),
    "selp": lambda values: _either(values[0], values[1]),
    "min": lambda values: _either(values[0], values[1]),
    "max": lambda values: _either(values[0], values[1]),
}
