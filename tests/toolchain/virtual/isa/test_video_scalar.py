"""Known answers of scalar video instructions, against Python integers."""

from collections.abc import Callable

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.codegen.emitter import Mode
from cudamaster.toolchain.devices.virtual.codegen.warp_function import write_warp_function
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from tests.toolchain.virtual.isa.opcodes import THREADS, Launch, Table

RNG = np.random.default_rng(31)
EDGES = np.array([0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 33, 0x0000FFFF], np.uint32)
A = np.concatenate([np.repeat(EDGES, 7), RNG.integers(0, 1 << 32, THREADS - 49, np.uint32)])
B = np.concatenate([np.tile(EDGES, 7), RNG.integers(0, 64, THREADS - 49, np.uint32)])
C = RNG.integers(0, 1 << 32, THREADS, np.uint32)
SIGNS = [(d, a, b) for d in ("u32", "s32") for a in ("u32", "s32") for b in ("u32", "s32")]
WAYS: dict[str, Callable[[int, int], int]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vmin": min,
    "vmax": max,
    "vabsdiff": lambda a, b: abs(a - b),
}
CONDITIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "lt": lambda a, b: a < b,
    "ge": lambda a, b: a >= b,
}
SECOND: dict[str, Callable[[int, int], int]] = {"add": lambda x, c: x + c, "min": min, "max": max}
SHIFTS: dict[str, Callable[[int, int], int]] = {"vshl": lambda a, n: a << n, "vshr": lambda a, n: a >> n}
MULTIPLIED = [(p, s, k) for p in ("", ".po") for s in ("", ".sat") for k in ("", ".shr7", ".shr15")]


def of_kind(value: int, kind: str) -> int:
    return value - (1 << 32) if kind == "s32" and value >> 31 else value


def cut(value: int, kind: str, limits: bool) -> int:
    """The low 32 bits, or the nearest number of `kind`, as bits."""
    low, high = (-(1 << 31), (1 << 31) - 1) if kind == "s32" else (0, (1 << 32) - 1)
    return (min(max(value, low), high) if limits else value) & 0xFFFFFFFF


def second(value: int, word: str, c: int, kind: str) -> int:
    return SECOND[word](of_kind(value, kind), of_kind(c, kind)) & 0xFFFFFFFF if word else value


def expected(name: str, a: int, b: int, c: int) -> int:
    """The answer of an opcode."""
    base, *words = name.split(".")
    after, limits = next((word for word in words if word in SECOND), ""), "sat" in words
    kinds = [word for word in words if word in ("u32", "s32")]
    x, y = of_kind(a, kinds[-2]), of_kind(b, kinds[-1])
    if base == "vset":
        return second(int(CONDITIONS[words[2]](x, y)), after, c, "u32")
    if base == "vmad":
        kind = "s32" if "s32" in kinds[1:] else "u32"
        shift = next((int(word[3:]) for word in words if word.startswith("shr")), 0)
        return cut(x * y + of_kind(c, kind) + ("po" in words) >> shift, kind, limits)
    if base in SHIFTS:
        return second(
            cut(SHIFTS[base](x, b & 31 if "wrap" in words else min(b, 32)), kinds[0], limits),
            after,
            c,
            kinds[0],
        )
    return second(cut(WAYS[base](x, y), kinds[0], limits), after, c, kinds[0])


NAMES = [
    *[f"{name}.{d}.{a}.{b}{'.sat' * (i % 2)}" for name in WAYS for i, (d, a, b) in enumerate(SIGNS)],
    *[f"vadd.{d}.u32.s32.sat.{op}" for d in ("u32", "s32") for op in SECOND],
    *[f"vset.{a}.{b}.{way}" for _, a, b in SIGNS[:4] for way in CONDITIONS],
    "vset.s32.u32.lt.add",
    "vset.u32.s32.ge.max",
    *[f"{name}.{d}.{a}.u32.{way}" for name in SHIFTS for d, a, _ in SIGNS[::2] for way in ("clamp", "wrap")],
    *[f"{name}.{d}.{a}.u32.sat.clamp" for name in SHIFTS for d, a, _ in SIGNS[::2]],
    *[f"vmad.s32.{a}.{b}{p}{s}{k}" for _, a, b in SIGNS[:4:3] for p, s, k in MULTIPLIED],
    "vmad.u32.u32.s32.po.sat",
]


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    made = Table()
    for name in NAMES:
        words = name.split(".")
        three = words[0] == "vmad" or not SECOND.keys().isdisjoint(words)
        made.add(name, "b32", "b32 b32 b32" if three else "b32 b32", [A, B, C] if three else [A, B])
    made.run(launch)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_what_is_computed_is_exact_before_it_is_cut(table: Table, name: str) -> None:
    (found,) = table.found[name]
    wanted = [expected(name, *each) for each in zip(A.tolist(), B.tolist(), C.tolist(), strict=True)]
    assert found.tolist() == wanted


def test_a_part_of_a_register_is_refused() -> None:
    module = parse_module(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<4>;\n"
        "vadd.u32.u32.u32 %r1, %r2.b0, %r3;\nret;\n}\n"
    )
    with pytest.raises(Unsupported, match=r"the part %r2\.b0"):
        write_warp_function(module, module.kernels["k"], Mode(check=True, count=False))
