"""The modifiers that each opcode may have: any other is refused, since what it would change is not known.

Those of `CHECKED` are told in their functions (`modifiers.require_known`). What stands in neither has none.
"""

_GROUPS = {
    "INT": "u16 s16 u32 s32 u64 s64",
    "BITS": "b16 b32 b64",
    "ALL": "b8 b16 b32 b64 b128 u8 s8 u16 s16 u32 s32 u64 s64 f32 f64",
    "HALF": "f16 bf16 f16x2 bf16x2",
    "ROUND": "rn rz rm rp",
    "SPACE": "global shared shared_cta shared_cluster local const param param_entry param_func",
    "ORDER": "relaxed acquire release acq_rel sc weak volatile mmio cta cluster gpu sys",
    "FENCE": "acquire release acq_rel sc sync_restrict_shared_cta sync_restrict_shared_cluster",
    "PROXY": "proxy alias async async_generic tensormap_generic global shared_cta shared_cluster",
    "SCOPE": "cta cluster gpu sys",
    "EVICT": "L2_evict_last L2_evict_normal L2_evict_first L2_evict_unchanged",
    "TILES": "m16n16k16 m32n8k16 m8n32k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128",
    "TYPES": "f64 f32 f16 bf16 tf32 s32 s8 u8 s4 u4 b1 xor and popc",
    "CACHE": "ca cg cs lu cv wb wt L1_evict_normal L1_evict_unchanged L1_evict_first L1_evict_last"
    " L1_no_allocate L2_64B L2_128B L2_256B L2_cache_hint L2_evict_last L2_evict_normal L2_evict_first",
}
_TABLE = """
add sub: INT HALF f32 f64 f32x2 u16x2 s16x2 ROUND ftz sat cc
addc subc: INT cc
mul mad: INT HALF f32 f64 f32x2 ROUND ftz sat cc lo hi wide relu
fma: HALF f32 f64 f32x2 ROUND ftz sat relu oob
madc: INT lo hi sat cc
mul24 mad24: u32 s32 lo hi sat
div: INT f32 f64 ROUND ftz approx full
rem sad: INT
abs neg: INT HALF f32 f64 ftz
min max: INT HALF f32 f64 u16x2 s16x2 ftz NaN xorsign abs relu
sqrt rcp: f32 f64 ROUND ftz approx
copysign: f32 f64
testp: f32 f64 finite infinite number notanumber normal subnormal
and or xor not cnot: BITS pred
shl shr: INT BITS
lop3: b32 and or
shf: b32 l r wrap clamp
bfe: u32 s32 u64 s64
bfi brev popc clz: b32 b64
bfind: u32 s32 u64 s64 shiftamt
bmsk: b32 clamp wrap
szext: u32 s32 clamp wrap
fns: b32
prmt: b32 f4e b4e rc8 ecl ecr rc16
dp4a dp2a: u32 s32 lo hi
setp set: INT BITS HALF f32 f64 ftz and or xor eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan
selp: INT BITS f32 f64 f16 bf16 f16x2 bf16x2
slct: INT BITS f32 f64 ftz
cvt: ALL HALF u2 s2 u4 s4 pack tf32 e4m3x2 e5m2x2 ROUND rna rni rzi rmi rpi ftz sat relu satfinite
mov: ALL HALF pred v2 v4
ld ldu: ALL SPACE ORDER CACHE nc v2 v4 v8
st: ALL SPACE ORDER CACHE v2 v4 v8 async mbarrier_complete_tx_bytes
cvta: SPACE to u32 u64
isspacep: SPACE
shfl: sync b32 up down bfly idx
vote: sync all any uni ballot pred b32
match: sync any all b32 b64
redux: sync add min max and or xor u32 s32 b32 f32 abs NaN
activemask: b32
elect: sync
nanosleep: u32
bar barrier: cta warp cluster sync arrive wait red aligned popc and or pred u32 release acquire relaxed
barvote: arrive popc and or pred u32
bra ret call: uni
brx: idx uni
exit trap brkpt assertfail stackcheck:
devicecall: vprintf malloc free
pmevent: mask
setmaxnreg: inc dec sync aligned u32
griddepcontrol: wait launch_dependents
fence: FENCE SCOPE PROXY mbarrier_init
membar: cta gl sys PROXY
prefetch prefetchu: global local const param L1 L2 tensormap L2_evict_last L2_evict_normal
discard: global L2
applypriority: global L2_evict_normal
createpolicy: fractional range cvt global L2 EVICT b64
ldmatrix stmatrix: sync aligned m8n8 x1 x2 x4 trans shared shared_cta b16
movmatrix: sync aligned m8n8 trans b16
wmma: load store mma sync aligned a b c d row col global shared shared_cta satfinite ROUND TILES TYPES
"""


def _read(table: str) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in table.strip().splitlines():
        bases, _, words = line.partition(":")
        expanded = " ".join(_GROUPS.get(word, word) for word in words.split())
        found |= dict.fromkeys(bases.split(), frozenset(expanded.split()))
    return found


VOCABULARY = _read(_TABLE)
"""Known modifiers by base opcode."""
_VIDEO = "vadd vsub vmin vmax vabsdiff vset vshl vshr vmad vadd2 vsub2 vmin2 vmax2 vabsdiff2 vavrg2 vset2"
CHECKED = frozenset(
    f"ex2 lg2 sin cos tanh rsqrt atom red cp mbarrier tensormap mapa getctarank mma wgmma {_VIDEO}"
    " vadd4 vsub4 vmin4 vmax4 vabsdiff4 vavrg4 vset4".split()
)
"""Opcodes whose functions know their modifiers."""
_OPERANDS = {
    2: "abs neg not cnot popc clz brev bfind cvt mov cvta isspacep testp sqrt rcp rsqrt sin cos ex2 lg2 tanh"
    " ld ldu st",
    3: "add sub addc subc mul mul24 div rem min max and or xor shl shr copysign setp set bmsk szext",
    4: "mad madc fma mad24 sad selp slct shf prmt dp4a dp2a bfe fns",
    5: "bfi lop3",
}
_OBJECTS = {
    "a texture: read the buffer through its pointer": "tex tld4 txq",
    "a surface: use the buffer through its pointer": "suld sust sured suq",
    "a multicast address, which takes several GPUs": "multimem",
    "what GPUs have from sm_100 on": "tcgen05 clusterlaunchcontrol",
}
LACKING = {base: lacking for lacking, bases in _OBJECTS.items() for base in bases.split()}
"""What opcodes that are refused whole would need."""
LEAST_OPERANDS = {base: count for count, bases in _OPERANDS.items() for base in bases.split()}
"""How many operands an instruction has at least."""
