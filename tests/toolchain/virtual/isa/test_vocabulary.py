"""A modifier that no row and no function knows is refused, whatever the opcode."""

import pytest

from cudamaster.toolchain.devices.virtual.isa.registry import ENTRIES, load_instructions
from cudamaster.toolchain.devices.virtual.isa.vocabulary import CHECKED, VOCABULARY
from tests.toolchain.virtual.isa.test_forms import refused_here

load_instructions()
OF_CHECKED = {
    **{f"{base}.approx.f32": "f1, f2" for base in ("ex2", "lg2", "sin", "cos", "tanh", "rsqrt")},
    "atom.global.add.u32": "r1, [d1], r2",
    "red.global.add.u32": "[d1], r2",
    "cp.async.ca.shared.global": "[r1], [d1], 16",
    "mbarrier.inval.shared.b64": "[r1]",
    "tensormap.replace.tile.rank.global.b1024.b32": "[d1], 1",
    "mapa.u64": "d1, d2, r1",
    "getctarank.u64": "r1, d1",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64": "{g1, g2}, {g3}, {g4}, {g5, g6}",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16": "{f1, f2, f3, f4}, d1, d2, p1, 1, 1, 0, 0",
    **{f"v{name}.u32.u32.u32": "r1, r2, r3" for name in ("add", "sub", "min", "max", "absdiff")},
    "vset.u32.u32.lt": "r1, r2, r3",
    **{f"v{name}.u32.u32.u32.clamp": "r1, r2, r3" for name in ("shl", "shr")},
    "vmad.u32.u32.u32": "r1, r2, r3, r4",
    **{
        f"v{name}{count}.u32.u32.u32": "r1, r2, r3, r4"
        for name in ("add", "sub", "min", "max", "absdiff", "avrg")
        for count in (2, 4)
    },
    **{f"vset{count}.u32.u32.lt": "r1, r2, r3, r4" for count in (2, 4)},
}
"""An instruction of each opcode that checks its own modifiers, with its operands."""


def test_every_opcode_has_a_row_or_checks_itself() -> None:
    assert set(ENTRIES) == set(VOCABULARY) | CHECKED
    assert not set(VOCABULARY) & CHECKED
    assert {opcode.partition(".")[0] for opcode in OF_CHECKED} == CHECKED


@pytest.mark.parametrize("opcode", OF_CHECKED)
def test_those_that_check_themselves_do(opcode: str) -> None:
    base, _, words = opcode.partition(".")
    known = f"{opcode} {OF_CHECKED[opcode]};"
    unknown = f"{base}.surprise.{words} {OF_CHECKED[opcode]};"
    assert refused_here([known, unknown]) == [unknown]


def test_those_with_rows_refuse_what_is_in_none() -> None:
    known = ["trap;", "fence.acq_rel.gpu;", "prefetch.global.L2 [d1];", "bra.uni B; B: exit;"]
    unknown = [text.replace(";", ".surprise;", 1) if text[-2] != "]" else text.replace(" ", ".surprise ", 1)
               for text in known[:3]]  # fmt: skip
    assert refused_here([*known[:3], *unknown]) == unknown
