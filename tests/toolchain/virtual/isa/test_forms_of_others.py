"""What ptxas takes of barriers, copies, matrices, shuffles, bits and video, the virtual GPU takes too."""

import shutil
from pathlib import Path

import pytest

from tests.toolchain.virtual.isa.test_forms import (
    INTEGERS,
    Families,
    refused_here,
    register,
    sampled,
    taken_by_ptxas,
    vector,
)

THREE_OF_32 = "shf prmt lop3 dp4a dp2a mad24 fns"
LISTED = dict.fromkeys(THREE_OF_32.split(), "r1, r2, r3, r4") | dict.fromkeys(
    ("bmsk", "szext", "mul24"), "r1, r2, r3"
)


def of_bits(words: list[str]) -> str:
    kind, base = words[-1], words[0]
    if base in LISTED:
        return LISTED[base] + (", 0x1f" if base == "lop3" else "")
    first = "r1" if base in ("bfind", "popc", "clz") else register(kind, 1)
    b, c = register(kind, 3), register(kind, 4)
    more = {"bfe": ["r3", "r4"], "bfi": [b, "r4", "r5"], "sad": [b, c], "shl": ["r3"], "shr": ["r3"]}
    more |= {"addc": [b], "subc": [b]}
    return ", ".join([first, register(kind, 2), *more.get(base, [])])


def of_warps(words: list[str]) -> str:
    kind = words[-1]
    match words[0]:
        case "shfl":
            return "r1|p1, r2, r3, r4, r5"
        case "vote":
            return ("r1" if kind == "b32" else "p1") + ", p2, r3"
        case "match":
            return f"{'r1|p1' if 'all' in words else 'r1'}, {register(kind, 2)}, r3"
        case _:
            return f"{register(kind, 1)}, {register(kind, 2)}, r3"


def of_barriers(words: list[str]) -> str:
    if "warp" in words or "cluster" in words:
        return "r5" if "warp" in words else ""
    if "red" in words:
        return f"{'p1' if words[-1] == 'pred' else 'r1'}, 1, p2"
    return "1, 64" if "arrive" in words else "1"


def of_mbarriers(words: list[str]) -> str:
    verb = words[1]
    if verb in ("arrive", "arrive_drop"):
        token = "_" if "shared::cluster" in words else "d1"
        return f"{token}, [d4]" + (", r2" if {"expect_tx", "noComplete"} & set(words) else "")
    if verb in ("test_wait", "try_wait"):
        return f"p1, [d4], {'r2' if 'parity' in words else 'd2'}"
    return {"init": "[d4], r2", "inval": "[d4]", "pending_count": "r1, d1"}.get(verb, "[d4], r2")


def of_copies(words: list[str]) -> str:
    return "[r1], [d1], 16" + (", d2" if "L2::cache_hint" in words else "")


def of_matrices(words: list[str]) -> str:
    count = int(next(word for word in words if word in ("x1", "x2", "x4"))[1])
    listed = "{" + ", ".join(f"r{i}" for i in range(1, count + 1)) + "}"
    return f"{listed}, [d8]" if words[0] == "ldmatrix" else f"[d8], {listed}"


def of_rows(words: list[str]) -> str:
    to, _, source = words[1].partition(".")
    operands = ["[d1]" if to == "global" else "[r1]", "[d2]" if source == "global" else "[r2]", "r3"]
    operands += ["[r4]"] * ("mbarrier::complete_tx::bytes" in words) + ["h1"] * (
        "multicast::cluster" in words
    )
    return ", ".join([*operands, *["d3"] * ("L2::cache_hint" in words)])


def of_fences(words: list[str]) -> str:
    return "[d1], 128" if words[0] == "fence" and "tensormap::generic" in words and "acquire" in words else ""


def of_caches(words: list[str]) -> str:
    match words[0]:
        case "createpolicy":
            ranges = "[d2], r1, r2" if "range" in words else ""
            return ", ".join(
                ["d1", *([ranges] if ranges else []), *(["1.0"] if "fractional" in words else [])]
            )
        case "discard" | "applypriority":
            return "[d1], 128"
        case _:
            return "[d1]"


def of_doubles(words: list[str]) -> str:
    counts = {"m8n8k4": (2, 1, 1), "m16n8k4": (4, 2, 1), "m16n8k8": (4, 4, 2), "m16n8k16": (4, 8, 4)}
    d, a, b = counts[next(word for word in words if word in counts)]
    groups = [[f"g{i % 9}" for i in range(count)] for count in (d, a, b, d)]
    return ", ".join("{" + ", ".join(group) + "}" for group in groups)


def of_video(words: list[str]) -> str:
    three = words[0] == "vmad" or words[0][-1] in "24" or bool({"add", "min", "max"} & set(words))
    return "r1, r2, r3, r4" if three else "r1, r2, r3"


OTHERS: Families = {
    "bits": (
        ("shl shr shf bfe bfi bfind brev popc clz bmsk szext fns prmt lop3 dp4a dp2a sad mul24 mad24"
         " addc subc",
         "- lo hi l r clamp wrap shiftamt f4e b4e rc8 ecl ecr rc16 cc u32 s32", "- u32 s32 clamp wrap",
         f"b16 b32 b64 {INTEGERS}"),
        of_bits,
    ),
    "warps": (
        ("shfl vote match redux", "sync", "- up down bfly idx all any uni ballot add min max and or xor",
         "b32 pred u32 s32 b64"),
        of_warps,
    ),
    "barriers": (
        ("bar barrier", "- cta warp cluster", "sync arrive wait red", "- popc and or", "- aligned",
         "- release acquire relaxed", "- pred u32"),
        of_barriers,
    ),
    "mbarriers": (
        ("mbarrier", "init inval arrive arrive_drop test_wait try_wait expect_tx complete_tx pending_count",
         "- expect_tx noComplete parity", "- acquire release relaxed", "- cta cluster",
         "- shared shared::cta shared::cluster", "b64"),
        of_mbarriers,
    ),
    "copies": (
        ("cp.async", "ca cg", "shared shared::cta", "global", "- L2::cache_hint",
         "- L2::64B L2::128B L2::256B"),
        of_copies,
    ),
    "matrices": (
        ("ldmatrix stmatrix", "sync", "aligned", "m8n8", "x1 x2 x4", "- trans", "- shared shared::cta",
         "b16"),
        of_matrices,
    ),
    "rows": (
        ("cp.async.bulk cp.reduce.async.bulk",
         "shared::cluster.global shared::cluster.shared::cta global.shared::cta",
         "mbarrier::complete_tx::bytes bulk_group", "- multicast::cluster", "- L2::cache_hint",
         "- add min max inc dec and or xor", "- f16 bf16 b32 u32 s32 b64 u64 s64 f64"),
        of_rows,
    ),
    "fences": (
        ("fence membar", "- proxy", "- alias async async.global async.shared::cta tensormap::generic"
         " mbarrier_init", "- acquire release acq_rel sc", "- sync_restrict::shared::cta",
         "- cta cluster gpu sys gl"),
        of_fences,
    ),
    "caches": (
        ("prefetch prefetchu discard applypriority createpolicy", "- fractional range",
         "- global local const param", "- L1 L2 tensormap",
         "- L2::evict_last L2::evict_normal L2::evict_first", "- b64"),
        of_caches,
    ),
    "products of doubles": (
        ("mma.sync.aligned", "m8n8k4 m16n8k4 m16n8k8 m16n8k16", "row", "col", "- rn rz rm rp",
         "f64.f64.f64.f64", "- rn rz rm rp"),
        of_doubles,
    ),
    "products of fragments of doubles": (
        ("wmma.mma.sync.aligned", "row col", "row col", "m8n8k4", "- rn rz rm rp",
         "f64.f64.f64.f64", "- rn rz rm rp"),
        of_doubles,
    ),
    "stores to other blocks": (
        ("st.async red.async", "- relaxed", "- cluster", "- shared::cluster", "mbarrier::complete_tx::bytes",
         "- add min max inc dec and or xor", "- v2 v4", "b32 b64 u32 u64 s32 s64 f32 f64"),
        lambda words: f"[r1], {vector(words, 1)}, [r2]",
    ),
    "video": (
        ("vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vavrg2 vabsdiff4 vmin4 vset4", "u32 s32",
         "u32 s32", "- u32 s32", "- eq lt ge", "- sat", "- clamp wrap po shr7", "- add min max"),
        of_video,
    ),
}  # fmt: skip
"""As in test_forms.py. Not here: parts of registers in video instructions, which are refused."""


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="no ptxas")
@pytest.mark.parametrize("name", OTHERS)
def test_what_ptxas_takes_is_taken(name: str, tmp_path: Path) -> None:
    taken = taken_by_ptxas(sampled(name, OTHERS), tmp_path)
    assert len(taken) > 10
    assert refused_here(taken) == []
