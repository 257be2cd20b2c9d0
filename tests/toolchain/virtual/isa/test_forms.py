"""What ptxas takes of random combinations of modifiers, the virtual GPU takes too."""

import random
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cudamaster.toolchain.devices.virtual.codegen.emitter import Mode
from cudamaster.toolchain.devices.virtual.codegen.warp_function import write_warp_function
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported

SAMPLE, ROUNDS = 3000, 40
HEAD = """.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 z) {
.reg .f32 f<9>; .reg .b32 r<9>; .reg .b64 d<9>; .reg .f64 g<9>; .reg .pred p<9>;
.reg .b16 h<9>; .reg .b128 q<9>;
"""
LETTERS = {
    "f32": "f", "f64": "g", "b16": "h", "u16": "h", "s16": "h", "f16": "h", "bf16": "h", "b64": "d",
    "u64": "d", "s64": "d", "e4m3x2": "h", "e5m2x2": "h", "b128": "q",
}  # fmt: skip
"""Of registers, by type; those of other types are `r`."""
WIDER = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
INTEGERS = "u16 s16 u32 s32 u64 s64"
FLOATS = "f16 f16x2 bf16 bf16x2 f32 f64"
IN_MEMORY = f"b8 b16 b32 b64 b128 u8 s8 {INTEGERS} f32 f64"
COMPARISONS = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"
NOT_OF_PTX = re.compile(r"fma\.r[zmp].*bf16|setp.*16x2 p1,")
"""What ptxas takes although PTX ISA 9.0 does not have it."""


def register(kind: str, number: int) -> str:
    return f"{LETTERS.get(kind, 'r')}{number}"


def vector(words: list[str], number: int) -> str:
    count = next((int(word[1:]) for word in words if word in ("v2", "v4")), 1)
    items = [register(words[-1], number + i) for i in range(count)]
    return items[0] if count == 1 else "{" + ", ".join(items) + "}"


def of_update(words: list[str]) -> str:
    given = [vector(words, 1), *([vector(words, 1)] if "cas" in words else [])]
    return ", ".join([*([vector(words, 4)] if words[0] == "atom" else []), "[d0]", *given])


def of_arithmetic(words: list[str]) -> str:
    kind = words[-1]
    wide = WIDER.get(kind, kind) if "wide" in words else kind
    third = [register(wide, 4)] if words[0] in ("fma", "mad") else []
    return ", ".join([register(wide, 1), register(kind, 2), register(kind, 3), *third])


def of_conversion(words: list[str]) -> str:
    second = [register("f32", 3)] if words[-1] == "f32" and words[-2].endswith("x2") else []
    return ", ".join([register(words[-2], 1), register(words[-1], 2), *second])


def of_comparison(words: list[str]) -> str:
    halves = words[0] == "setp" and words[-1].endswith("16x2")
    target = "p1|p2" if halves else "p1" if words[0] == "setp" else register(words[-2], 1)
    joined = ["p0"] if {"and", "or", "xor"} & set(words) else []
    return ", ".join([target, register(words[-1], 2), register(words[-1], 3), *joined])


Operands = Callable[[list[str]], str]
Families = dict[str, tuple[Sequence[str], Operands]]
FAMILIES: Families = {
    "loads": (
        ("ld", "- weak volatile relaxed.cta acquire.gpu", "- global shared shared::cluster local const",
         "- nc ca cg cs lu cv", "- L1::evict_last L1::no_allocate", "- L2::128B", "- v2 v4", IN_MEMORY),
        lambda words: f"{vector(words, 1)}, [d0]",
    ),
    "stores": (
        ("st", "- weak volatile relaxed.sys release.cluster", "- global shared shared::cta local",
         "- wb cg cs wt", "- L1::evict_first", "- v2 v4", IN_MEMORY),
        lambda words: f"[d0], {vector(words, 1)}",
    ),
    "updates": (
        ("atom red", "- relaxed acquire acq_rel release", "- cta gpu sys cluster",
         "- global shared shared::cluster", "add min max inc dec and or xor exch cas", "- noftz", "- v2 v4",
         f"b16 b32 b64 b128 {INTEGERS} {FLOATS}"),
        of_update,
    ),
    "conversions": (
        ("cvt", "- rn rz rm rp rna rni rzi rmi rpi", "- ftz", "- sat relu satfinite",
         f"u8 s8 {INTEGERS} f16 bf16 f32 f64 tf32", f"u8 s8 {INTEGERS} f16 bf16 f32 f64"),
        of_conversion,
    ),
    "narrow conversions": (
        ("cvt", "- rn rz", "- satfinite", "- relu", "f16x2 bf16x2 e4m3x2 e5m2x2",
         "f32 f16x2 bf16x2 e4m3x2 e5m2x2"),
        of_conversion,
    ),
    "arithmetic": (
        ("add sub mul min max fma mad", "- rn rz rm rp", "- ftz", "- sat relu",
         "- lo hi wide NaN xorsign.abs oob", f"{INTEGERS} {FLOATS} u16x2 s16x2"),
        of_arithmetic,
    ),
    "comparisons": (
        ("setp", COMPARISONS, "- and or xor", "- ftz", f"b16 b32 b64 {INTEGERS} {FLOATS}"),
        of_comparison,
    ),
    "comparisons into registers": (
        ("set", COMPARISONS, "- and or xor", "- ftz", "u32 s32 f32 f16 bf16 f16x2 bf16x2 u16",
         f"b16 b32 b64 {INTEGERS} {FLOATS}"),
        of_comparison,
    ),
}  # fmt: skip
"""Alternatives for each word of the opcode, `-` for none, and how the operands follow."""


def sampled(name: str, families: Families) -> list[str]:
    """Instructions of a family, each once."""
    slots, operands = families[name]
    choose = random.Random(name)
    found = {}
    for _ in range(SAMPLE):
        chosen = [word for slot in slots if (word := choose.choice(slot.split())) != "-"]
        found[f"{'.'.join(chosen)} {operands(chosen)};"] = None
    return list(found)


def taken_by_ptxas(instructions: list[str], folder: Path) -> list[str]:
    """Those without an error; some errors hide others, so ptxas is asked again about the rest."""
    source = folder / "forms.ptx"
    for _ in range(ROUNDS):
        source.write_text(HEAD + "\n".join(instructions) + "\nret; }\n")
        command = ["ptxas", "-arch", "sm_90a", str(source), "-o", str(folder / "forms.cubin")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode == 0:
            return instructions
        errors = re.findall(r"line (\d+); (?:error|fatal)", done.stdout + done.stderr)
        assert errors, done.stderr[:500]
        wrong = {int(line) - HEAD.count("\n") - 1 for line in errors}
        instructions = [text for i, text in enumerate(instructions) if i not in wrong]
    raise AssertionError("ptxas finds ever more errors")


def refused_here(instructions: list[str]) -> list[str]:
    """Those that the virtual GPU has no code for."""
    refused = []
    for text in instructions:
        module = parse_module(f"{HEAD}{text}\nret; }}\n")
        try:
            write_warp_function(module, module.kernels["k"], Mode(check=True, count=False, avx512=False))
        except Unsupported:
            refused.append(text)
    return refused


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="no ptxas")
@pytest.mark.parametrize("name", FAMILIES)
def test_what_ptxas_takes_is_taken(name: str, tmp_path: Path) -> None:
    taken = taken_by_ptxas(sampled(name, FAMILIES), tmp_path)
    refused = refused_here(taken)
    assert len(taken) > 20
    assert [text for text in refused if not NOT_OF_PTX.match(text)] == []
