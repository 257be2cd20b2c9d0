"""Known answers of bit instructions, against Python integers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.toolchain.virtual.isa.opcodes import THREADS, Launch, Table

RNG = np.random.default_rng(1)
EDGES = np.array([0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0xAAAAAAAA, 0x00FF00FF], np.uint32)
AMOUNTS = np.array([0, 1, 5, 31, 32, 33, 64, 255, 256, 300, 0xFFFFFFFF, 16], np.uint32)


def numbers(edges: NDArray[Any], bits: int = 32) -> NDArray[Any]:
    rest = RNG.integers(0, 1 << bits, THREADS - len(edges), dtype=np.uint64)
    return np.concatenate([edges, rest]).astype(edges.dtype)


A, B, C = (RNG.permutation(numbers(EDGES)) for _ in range(3))
AMOUNT, LENGTH = (np.resize(RNG.permutation(np.resize(AMOUNTS, THREADS)), THREADS) for _ in range(2))
WIDE = numbers(np.array([0, 1, 2**64 - 1, 1 << 63, (1 << 63) - 1], np.uint64), 64)
SMALL = RNG.integers(0, 40, THREADS).astype(np.uint32)
OFFSETS = RNG.integers(-6, 7, THREADS).astype(np.int32)


def signed(value: int, bits: int = 32) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def lop3(table: int) -> Callable[[int, int, int], int]:
    def look_up(a: int, b: int, c: int) -> int:
        bits = ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1) for i in range(32))
        return sum((table >> index & 1) << i for i, index in enumerate(bits))

    return look_up


def shf(side: str, mode: str) -> Callable[[int, int, int], int]:
    def shift(low: int, high: int, amount: int) -> int:
        amount = min(amount, 32) if mode == "clamp" else amount & 31
        both = high << 32 | low
        return both << amount >> 32 if side == "l" else both >> amount

    return shift


def bfe(bits: int, is_signed: bool) -> Callable[[int, int, int], int]:
    def extract(value: int, position: int, length: int) -> int:
        position, length = position & 255, length & 255
        top = min(position + length - 1, bits - 1)
        filler = value >> top & 1 if is_signed and length else 0
        picked = [
            value >> position + i & 1 if i < length and position + i < bits else filler for i in range(bits)
        ]
        return sum(bit << i for i, bit in enumerate(picked))

    return extract


def bfi(bits: int) -> Callable[[int, int, int, int], int]:
    def insert(field: int, value: int, position: int, length: int) -> int:
        position, length = position & 255, length & 255
        for i in range(min(length, max(0, bits - position))):
            value = value & ~(1 << position + i) | (field >> i & 1) << position + i
        return value

    return insert


def prmt(a: int, b: int, selector: int) -> int:
    data, result = b << 32 | a, 0
    for i in range(4):
        pick = selector >> 4 * i & 15
        byte = data >> 8 * (pick & 7) & 255
        byte = (255 if byte & 128 else 0) if pick & 8 else byte
        result |= byte << 8 * i
    return result


def prmt_mode(mode: str) -> Callable[[int, int, int], int]:
    """The table of PTX ISA 9.0, `prmt`: source bytes for byte 3, 2, 1, 0 by control."""
    table = {
        "f4e": ["3210", "4321", "5432", "6543"],
        "b4e": ["5670", "6701", "7012", "0123"],
        "rc8": ["0000", "1111", "2222", "3333"],
        "ecl": ["3210", "3211", "3222", "3333"],
        "ecr": ["0000", "1110", "2210", "3210"],
        "rc16": ["1010", "3232", "1010", "3232"],
    }[mode]
    return lambda a, b, control: prmt(a, b, int(table[control & 3], 16))


def bfind(bits: int, is_signed: bool, amount: bool) -> Callable[[int], int]:
    def find(value: int) -> int:
        if is_signed and value >> (bits - 1):
            value = ~value & ((1 << bits) - 1)
        place = value.bit_length() - 1
        return (bits - 1 - place if amount else place) if place >= 0 else 0xFFFFFFFF

    return find


def bmsk(mode: str) -> Callable[[int, int], int]:
    def mask(position: int, length: int) -> int:
        if mode == "wrap":
            position, length = position & 31, length & 31
        return ((1 << min(length, 32)) - 1) << min(position, 32)

    return mask


def szext(mode: str, is_signed: bool) -> Callable[[int, int], int]:
    def extend(value: int, width: int) -> int:
        width = width & 31 if mode == "wrap" else min(width, 32)
        value &= (1 << width) - 1
        return value - (1 << width) if is_signed and width and value >> (width - 1) else value

    return extend


def fns(mask: int, base: int, offset: int) -> int:
    offset, none = signed(offset), 0xFFFFFFFF
    if offset == 0:
        return base if mask >> base & 1 else none
    places = range(base, 32) if offset > 0 else range(base, -1, -1)
    found = [place for place in places if mask >> place & 1]
    return found[abs(offset) - 1] if abs(offset) <= len(found) else none


def elements(value: int, width: int, kind: str) -> list[int]:
    parts = [value >> i & (1 << width) - 1 for i in range(0, 32, width)]
    return [signed(part, width) for part in parts] if kind == "s32" else parts


def dp4a(kinds: str) -> Callable[[int, int, int], int]:
    left, right = kinds.split(".")
    return lambda a, b, c: (
        c + sum(x * y for x, y in zip(elements(a, 8, left), elements(b, 8, right), strict=True))
    )


def dp2a(half: str, kinds: str) -> Callable[[int, int, int], int]:
    left, right = kinds.split(".")
    first = 2 if half == "hi" else 0
    return lambda a, b, c: (
        c
        + sum(
            x * y
            for x, y in zip(elements(a, 16, left), elements(b, 8, right)[first : first + 2], strict=True)
        )
    )


def pairwise(combine: Callable[[int, int], int], is_signed: bool) -> Callable[[int, int], int]:
    kind = "s32" if is_signed else "u32"

    def both(a: int, b: int) -> int:
        low, high = map(combine, elements(a, 16, kind), elements(b, 16, kind))
        return (high & 0xFFFF) << 16 | low & 0xFFFF

    return both


THREE, FIELD = [A, B, C], [A, AMOUNT, LENGTH]
CASES: list[tuple[str, str, str, list[Any], Callable[..., int], str]] = [
    *[(f"lop3.{t}", "b32", "b32 b32 b32", THREE, lop3(t), f"lop3.b32 %d0, %s0, %s1, %s2, {t};") for t in (
        0, 255, 0x96, 0xE8, 0xCA, 0xF8, 0x1B, 0x3C, 0x69, 0x80, 0xFE, 0x47)],
    *[(f"shf.{s}.{m}.b32", "b32", "b32 b32 b32", [A, B, AMOUNT], shf(s, m), "")
      for s in "lr" for m in ("wrap", "clamp")],
    ("shf.const", "b32", "b32 b32", [A, B], lambda a, b: shf("l", "wrap")(a, b, 7),
     "shf.l.wrap.b32 %d0, %s0, %s1, 7;"),
    *[(f"bfe.{k}32", "b32", "b32 b32 b32", FIELD, bfe(32, k == "s"), "") for k in "us"],
    *[(f"bfe.{k}64", "b64", "b64 b32 b32", [WIDE, AMOUNT, LENGTH], bfe(64, k == "s"), "") for k in "us"],
    ("bfe.const", "b32", "b32", [A], lambda a: bfe(32, False)(a, 4, 9), "bfe.u32 %d0, %s0, 4, 9;"),
    ("bfi.b32", "b32", "b32 b32 b32 b32", [A, B, AMOUNT, LENGTH], bfi(32), ""),
    ("bfi.b64", "b64", "b64 b64 b32 b32", [WIDE, WIDE[::-1].copy(), AMOUNT, LENGTH], bfi(64), ""),
    ("prmt.b32", "b32", "b32 b32 b32", THREE, prmt, ""),
    *[(f"prmt.{s:x}", "b32", "b32 b32", [A, B], lambda a, b, s=s: prmt(a, b, s),
       f"prmt.b32 %d0, %s0, %s1, {s};") for s in (0x3210, 0x5410, 0x7632, 0xBA98, 0x0123, 0xF7C4)],
    *[(f"prmt.b32.{m}", "b32", "b32 b32 b32", THREE, prmt_mode(m), "")
      for m in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")],
    ("popc.b32", "b32", "b32", [A], int.bit_count, ""),
    ("popc.b64", "b32", "b64", [WIDE], int.bit_count, ""),
    ("clz.b32", "b32", "b32", [A], lambda a: 32 - a.bit_length(), ""),
    ("clz.b64", "b32", "b64", [WIDE], lambda a: 64 - a.bit_length(), ""),
    ("brev.b32", "b32", "b32", [A], lambda a: int(f"{a:032b}"[::-1], 2), ""),
    ("brev.b64", "b64", "b64", [WIDE], lambda a: int(f"{a:064b}"[::-1], 2), ""),
    *[(f"bfind{s}.{k}{w}", "b32", f"b{w}", [A if w == 32 else WIDE], bfind(w, k == "s", bool(s)), "")
      for s in ("", ".shiftamt") for k in "us" for w in (32, 64)],
    *[(f"bmsk.{m}.b32", "b32", "b32 b32", [SMALL, AMOUNT], bmsk(m), "") for m in ("clamp", "wrap")],
    *[(f"szext.{m}.{k}32", "b32", "b32 b32", [A, AMOUNT], szext(m, k == "s"), "")
      for m in ("clamp", "wrap") for k in "us"],
    ("fns.b32", "b32", "b32 b32 b32", [A, SMALL & 31, OFFSETS], fns, ""),
    ("sad.u32", "b32", "b32 b32 b32", THREE, lambda a, b, c: c + abs(a - b), ""),
    ("sad.s32", "b32", "b32 b32 b32", THREE, lambda a, b, c: c + abs(signed(a) - signed(b)), ""),
    *[(f"dp4a.{k}", "b32", "b32 b32 b32", THREE, dp4a(k), "")
      for k in ("u32.u32", "s32.s32", "u32.s32", "s32.u32")],
    *[(f"dp2a.{h}.{k}", "b32", "b32 b32 b32", THREE, dp2a(h, k), "")
      for h in ("lo", "hi") for k in ("u32.u32", "s32.s32")],
    *[(f"{n}.{k}16x2", "b32", "b32 b32", [A, B], pairwise(f, k == "s"), "")
      for n, f in (("add", lambda a, b: a + b), ("min", min), ("max", max)) for k in "us"],
]  # fmt: skip


LOGIC_WITH_PREDICATE = """{ .reg .pred q, p; setp.ne.u32 q, %s3, 0;
lop3.or.b32 %d0|p, %s0, %s1, %s2, 0x80, q; selp.u32 %d1, 1, 0, p;
lop3.and.b32 _|p, %s0, %s1, %s2, 0x80, !q; selp.u32 %d2, 1, 0, p; }"""


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    cases = Table()
    for name, results, kinds, sources, _, text in CASES:
        cases.add(name, results, kinds, sources, text)
    cases.add("lop3 p", "b32 b32 b32", "b32 b32 b32 b32", [*THREE, AMOUNT & 1], LOGIC_WITH_PREDICATE)
    cases.run(launch)
    return cases


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_equals_integer_arithmetic(table: Table, case: Any) -> None:
    name, results, _, _, reference, _ = case
    width = 64 if results == "b64" else 32
    sources = [[int(value) for value in source] for source in table.rows[name].sources]
    expected = [reference(*values) % (1 << width) for values in zip(*sources, strict=True)]
    assert [int(value) for value in table.found[name][0]] == expected


def test_logic_of_three_combines_not_zero_with_a_predicate(table: Table) -> None:
    a, b, c, q = table.rows["lop3 p"].sources
    both, either, neither = table.found["lop3 p"]
    assert np.array_equal(both, a & b & c)
    assert np.array_equal(either, (both != 0) | (q != 0))
    assert np.array_equal(neither, (both != 0) & (q == 0))
