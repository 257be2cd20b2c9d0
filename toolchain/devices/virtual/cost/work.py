"""What one PTX instruction asks of an SM: issue slots and slots of its pipes, one table for all opcodes.

A slot is one warp-wide instruction; how many a pipe takes per clock is the GPU's `[model]` table. Weights
of instructions that ptxas expands (division, square root, double precision's special functions) are counted
from SASS of sm_90; single instructions follow NVIDIA's throughput table (CUDA programming guide, arithmetic
instructions).
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from cudamaster.toolchain.devices.virtual.ptx.nouns import TYPE_BYTES


class Pipe(StrEnum):
    """An execution pipe of an SM, with a rate of its own."""

    FMA = "fma"
    """FP32 add, multiply, fused multiply-add."""
    IMAD = "imad"
    """Integer multiplies; they run on (half of) the FMA pipe."""
    HALF = "half"
    """Packed or single FP16 and BF16 arithmetic; runs on the FMA pipe."""
    ALU = "alu"
    """Integer adds, logic, shifts, comparisons, selections, minimum and maximum of every type."""
    XU = "xu"
    """Special functions and conversions between integers and floats."""
    FP64 = "fp64"
    TENSOR = "tensor"
    """Counted in FLOPs of the instruction's type, not in slots."""
    LSU = "lsu"
    """Loads, stores, atomics."""
    SHUFFLE = "shuffle"
    """Exchanges between lanes; they pass through the load/store unit at a rate of their own."""


@dataclass(frozen=True, slots=True)
class Work:
    """Slots asked for by one warp-wide execution."""

    issue: float
    """Issue slots."""
    pipes: tuple[tuple[Pipe, float], ...] = ()
    latency: str = "alu"
    """Key into the GPU's latencies; `load` where it depends on the level that answers."""

    def slots(self, pipe: Pipe) -> float:
        """Slots of one pipe."""
        return next((slots for name, slots in self.pipes if name is pipe), 0.0)


FREE = Work(0.0, (), "none")
"""Gone in SASS: renamed or folded into an operand."""


def _work(latency: str = "alu", other: float = 0.0, **pipes: float) -> Work:
    """Work whose issue slots are the pipes' slots plus `other`."""
    return Work(
        sum(pipes.values()) + other, tuple((Pipe(name), slots) for name, slots in pipes.items()), latency
    )


_ALU1, _ALU2, _ALU4 = _work(alu=1), _work(alu=2), _work(alu=4)
_ADD64 = _work(alu=1.5, imad=0.5)
_EITHER = _work(alu=0.5, imad=0.5)
"""Shifts, which ptxas also writes as multiplications to balance the pipes."""
_FMA1 = _work(fma=1)
_IMAD1, _IMAD2 = _work(imad=1), _work(imad=2)
_XU1 = _work("xu", xu=1)
_HALF1 = _work(half=1)
_FP64 = _work("fp64", fp64=1)
_LSU1 = _work("load", lsu=1)
_SHUFFLE = _work("shuffle", shuffle=1)
_CONTROL = _work("none", other=1)
_DIVIDE32 = _work("divide", fma=6, xu=1, alu=2)
_INTEGER_DIVIDE = _work("divide", imad=6, alu=9, xu=3)
_CALL64 = _work("divide", imad=30, alu=40, xu=2)

TABLE: dict[str, Work] = {
    # data movement
    "mov": FREE, "cvta": FREE, "ld.param": _work("constant", other=1), "isspacep": _ALU1, "mapa": _ALU1,
    "getctarank": _ALU1, "alloca": FREE, "stacksave": FREE, "stackrestore": FREE, "mov.pack": _ALU1,
    "mov.special": _work("xu", other=1),
    # integers of 32 bits and fewer
    "add.int": _ALU1, "sub.int": _ALU1, "addc.int": _ALU1, "subc.int": _ALU1, "mul.int": _IMAD1,
    "mad.int": _IMAD1, "mul24.int": _IMAD1, "mad24.int": _IMAD1, "madc.int": _IMAD1, "abs.int": _ALU1,
    "neg.int": FREE, "min.int": _ALU1, "max.int": _ALU1,
    "div.int": _INTEGER_DIVIDE, "rem.int": _INTEGER_DIVIDE,
    "sad.int": _ALU2, "dp4a.int": _IMAD1, "dp2a.int": _IMAD1,
    "and": _ALU1, "or": _ALU1, "xor": _ALU1, "not": _ALU1, "cnot": _ALU1, "lop3": _ALU1, "shl": _EITHER,
    "shr": _ALU1, "shf": _ALU1, "prmt": _ALU1, "bfe": _ALU2, "bfi": _ALU2, "bfind": _XU1, "clz": _XU1,
    "popc": _XU1, "brev": _XU1, "fns": _XU1, "szext": _ALU1, "bmsk": _ALU1,
    "setp": _ALU1, "set": _ALU1, "selp": _ALU1, "slct": _ALU1, "testp": _ALU1,
    "and.pred": FREE, "or.pred": FREE, "xor.pred": FREE, "not.pred": FREE,
    # integers of 64 bits
    "add.long": _ADD64, "sub.long": _ADD64, "mul.long": _work(imad=4), "mad.long": _work(imad=4),
    "mul.wide": _IMAD2, "mad.wide": _IMAD2, "div.long": _CALL64, "rem.long": _CALL64, "neg.long": _ALU2,
    "and.long": _ALU2, "or.long": _ALU2, "xor.long": _ALU2, "not.long": _ALU2, "shl.long": _ALU2,
    "shr.long": _ALU2, "setp.long": _ALU2, "selp.long": _ALU2, "min.long": _ALU4, "max.long": _ALU4,
    "abs.long": _ALU4, "popc.long": _work("xu", xu=2), "clz.long": _work("xu", xu=2),
    # FP32
    "add.f32": _FMA1, "sub.f32": _FMA1, "mul.f32": _FMA1, "fma.f32": _FMA1, "mad.f32": _FMA1,
    "neg.f32": FREE, "abs.f32": FREE, "min.f32": _ALU1, "max.f32": _ALU1, "copysign.f32": _ALU1,
    "div.f32": _DIVIDE32, "div.full.f32": _work("xu", fma=3, xu=1),
    "div.approx.f32": _work("xu", fma=2, xu=1),
    "rcp.f32": _work("divide", fma=4, xu=1, alu=2), "rcp.approx.f32": _work("xu", fma=1, xu=1),
    "sqrt.f32": _work("divide", fma=5, xu=1, alu=3), "sqrt.approx.f32": _work("xu", fma=1, xu=1),
    "rsqrt.approx.f32": _work("xu", fma=1, xu=1), "ex2.f32": _work("xu", fma=2, xu=1, alu=1),
    "lg2.f32": _work("xu", fma=2, xu=1, alu=1), "sin.f32": _work("xu", fma=1, xu=1),
    "cos.f32": _work("xu", fma=1, xu=1), "tanh.f32": _XU1, "rcp.ftz.f32": _XU1, "ex2.ftz.f32": _XU1,
    "lg2.ftz.f32": _XU1, "rsqrt.ftz.f32": _XU1, "sqrt.ftz.f32": _work("xu", fma=1, xu=1),
    # FP64
    "add.f64": _FP64, "sub.f64": _FP64, "mul.f64": _FP64, "fma.f64": _FP64, "mad.f64": _FP64,
    "min.f64": _work("fp64", fp64=1, alu=2), "max.f64": _work("fp64", fp64=1, alu=2), "setp.f64": _FP64,
    "neg.f64": FREE, "abs.f64": FREE, "div.f64": _work("divide", fp64=9, xu=1, alu=4),
    "rcp.f64": _work("divide", fp64=6, xu=1, alu=3), "sqrt.f64": _work("divide", fp64=8, xu=1, alu=4),
    "rsqrt.f64": _work("divide", fp64=6, xu=1, alu=3),
    # FP16 and BF16
    "add.half": _HALF1, "sub.half": _HALF1, "mul.half": _HALF1, "fma.half": _HALF1, "neg.half": FREE,
    "abs.half": FREE, "min.half": _ALU1, "max.half": _ALU1, "ex2.half": _XU1, "tanh.half": _XU1,
    # conversions
    "cvt.integer": _ALU1, "cvt.widen": FREE, "cvt.sign": _ALU1, "cvt.half": _EITHER, "cvt.xu": _XU1,
    "cvt.f64": _XU1, "cvt.round": _XU1, "cvt.pack": _ALU1,
    # memory
    "ld": _LSU1, "ldu": _LSU1, "st": _LSU1, "atom": _LSU1, "red": _LSU1, "ldmatrix": _LSU1,
    "stmatrix": _LSU1, "cp": _LSU1, "tensormap": _LSU1, "prefetch": _LSU1, "prefetchu": FREE,
    "discard": FREE,
    "ld.const": Work(0.25, (), "constant"), "cp.async.commit_group": _CONTROL,
    "cp.async.wait_group": _CONTROL,
    "cp.async.wait_all": _CONTROL, "cp.async.bulk": _CONTROL, "cp.reduce": _CONTROL,
    "membar": _work("fence", other=1), "fence": _work("fence", other=1), "mbarrier": _work("shared", lsu=1),
    # across lanes
    "shfl": _SHUFFLE, "vote": _ALU1, "activemask": _ALU1, "match": _work("shuffle", alu=8),
    "redux": _work("shuffle", xu=1), "elect": _ALU1, "movmatrix": _SHUFFLE,
    # tensor cores: FLOPs are counted apart
    "mma": _work("mma", other=1), "wmma.mma": _work("mma", other=2), "wgmma": _work("mma", other=1),
    "wgmma.fence": _CONTROL, "wgmma.commit_group": _CONTROL, "wgmma.wait_group": _CONTROL,
    "wmma.load": _work("load", lsu=4, alu=6), "wmma.store": _work("load", lsu=8, alu=4),
    # control
    "bra": _CONTROL, "brx": _work("none", other=3), "call": _work("divide", other=8), "ret": _CONTROL,
    "exit": _CONTROL, "trap": _CONTROL, "bar": _CONTROL, "barrier": _CONTROL, "bar.warp": FREE,
    "nanosleep": _CONTROL, "setmaxnreg": _CONTROL, "griddepcontrol": _CONTROL,
}  # fmt: skip
"""Work by key: an opcode, `base.modifier.type`, `base.type`, `base.family`, or the base."""

_FAMILIES = {
    "f32": "f32", "tf32": "f32", "f64": "f64", "f16": "half", "f16x2": "half", "bf16": "half",
    "bf16x2": "half", "pred": "pred", "u64": "long", "s64": "long", "b64": "long",
}  # fmt: skip
_FLOATS = frozenset({"f16", "bf16", "f32", "f64", "tf32", "f16x2", "bf16x2", "e4m3x2", "e5m2x2"})


def family(type_name: str) -> str:
    """The row family of a type: `int` covers everything of 32 bits and fewer that is no float."""
    return _FAMILIES.get(type_name, "int")


def _conversion(modifiers: tuple[str, ...]) -> str:
    """The row of a `cvt`."""
    types = [m for m in modifiers[1:] if m in TYPE_BYTES]
    if len(types) != 2:
        return "cvt.pack"
    to, source = types
    if "f64" in types:
        return "cvt.f64"
    if (to in _FLOATS) != (source in _FLOATS):
        return "cvt.xu"
    if to in _FLOATS:
        return "cvt.round" if to == source else "cvt.half"
    if to.startswith("s") and TYPE_BYTES[to] == 8 > TYPE_BYTES[source]:
        return "cvt.sign"
    return "cvt.widen" if TYPE_BYTES[to] == 8 or TYPE_BYTES[source] == 8 else "cvt.integer"


def _keys(opcode: str) -> list[str]:
    """Keys to look up, the most specific first."""
    modifiers = tuple(opcode.replace("::", "_").split("."))
    base, kind = modifiers[0], modifiers[-1]
    if base == "cvt":
        return [_conversion(modifiers)]
    middle = [f"{base}.{m}.{kind}" for m in modifiers[1:-1]]
    if "ftz" in modifiers and "approx" in modifiers:
        middle.insert(0, f"{base}.ftz.{kind}")
    plain = [f"{base}.{m}" for m in modifiers[1:]]
    triple = [".".join(modifiers[:3])] if len(modifiers) > 2 else []
    return [opcode, *triple, *middle, *plain, f"{base}.{family(kind)}", base]


@lru_cache(maxsize=4096)
def work_of(opcode: str) -> Work:
    """Slots of one warp-wide execution of `opcode`; an unknown one counts as a single ALU instruction."""
    return next((TABLE[key] for key in _keys(opcode) if key in TABLE), _ALU1)
