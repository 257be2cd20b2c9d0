"""A modifier that no row and no function knows is refused, whatever the opcode."""

import pytest

from cudamaster.toolchain.devices.virtual.isa.async_copy import other_copies
from cudamaster.toolchain.devices.virtual.isa.registry import ENTRIES, load_instructions, lookup
from cudamaster.toolchain.devices.virtual.isa.vocabulary import CHECKED, VOCABULARY
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Integer
from tests.toolchain.virtual.isa.test_forms import refused_here

load_instructions()
OF_CHECKED = {
    **{f"{base}.approx.f32": "f1, f2" for base in ("ex2", "lg2", "sin", "cos", "tanh", "rsqrt")},
    "atom.global.add.u32": "r1, [d1], r2",
    "red.global.add.u32": "[d1], r2",
    "atom.global.v2.f32.add": "{f1, f2}, [d1], {f3, f4}",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32": "[r1], r2, [r3]",
    "ex2.approx.f16": "h1, h2",
    "ex2.approx.ftz.bf16": "h1, h2",
    **{f"tanh.approx.{kind}": "h1, h2" for kind in ("f16", "bf16")},
    **{f"tanh.approx.{kind}": "r1, r2" for kind in ("f16x2", "bf16x2")},
    "ex2.approx.f16x2": "r1, r2",
    "ex2.approx.ftz.bf16x2": "r1, r2",
    "rsqrt.approx.ftz.f64": "g1, g2",
    "cp.async.ca.shared.global": "[r1], [d1], 16",
    "cp.async.commit_group": "",
    "cp.async.wait_group": "0",
    "cp.async.wait_all": "",
    "cp.async.mbarrier.arrive.noinc.shared.b64": "[r1]",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes": "[r1], [d1], r3, [r5]",
    "cp.async.bulk.commit_group": "",
    "cp.async.bulk.wait_group": "0",
    "cp.async.bulk.prefetch.L2.global": "[d1], r1",
    "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes": "[r1], [d1, {r2}], [r5]",
    "cp.async.bulk.prefetch.tensor.1d.L2.global": "[d1, {r2}]",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32": "[d1], [r1], r3",
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group": "[d1, {r2}], [r1]",
    "mbarrier.init.shared.b64": "[r1], r2",
    "mbarrier.inval.shared.b64": "[r1]",
    "mbarrier.arrive.shared.b64": "d1, [r1]",
    "mbarrier.arrive_drop.shared.b64": "d1, [r1]",
    "mbarrier.arrive.expect_tx.shared.b64": "d1, [r1], r2",
    "mbarrier.arrive_drop.expect_tx.shared.b64": "d1, [r1], r2",
    **{f"mbarrier.{verb}.relaxed.cta.shared.b64": "[r1], r2" for verb in ("expect_tx", "complete_tx")},
    **{f"mbarrier.{verb}.shared.b64": "p1, [r1], d1" for verb in ("test_wait", "try_wait")},
    "mbarrier.pending_count.b64": "r1, d1",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned": (
        "[d1], [r1], 128"
    ),
    "mma.sp.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32": (
        "{f1, f2, f3, f4}, {r1, r2}, {r5, r6}, {f1, f2, f3, f4}, r2, 0"
    ),
    "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32": (
        "{f1, f2, f3, f4}, {r1, r2}, {r5, r6}, {f1, f2, f3, f4}, r2, 0"
    ),
    "wgmma.fence.sync.aligned": "",
    "wgmma.commit_group.sync.aligned": "",
    "wgmma.wait_group.sync.aligned": "0",
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
"""An instruction of each function that checks its own modifiers, with its operands."""


def test_every_opcode_has_a_row_or_checks_itself() -> None:
    assert set(ENTRIES) == set(VOCABULARY) | CHECKED
    assert not set(VOCABULARY) & CHECKED


def test_every_function_that_checks_itself_is_tried() -> None:
    tried = {id(lookup(Instruction(opcode, (Integer(0),) * 5))) for opcode in OF_CHECKED}
    every = [entry for base in CHECKED for entry in ENTRIES[base] if entry.emit is not other_copies]
    assert [entry for entry in every if id(entry) not in tried] == []


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
