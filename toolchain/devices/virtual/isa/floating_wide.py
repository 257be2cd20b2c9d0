"""Float arithmetic of sm_100: pairs of f32 in 64 bits, and f32 sums of narrow terms."""

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.floating import DIRECTED, computed
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.narrow import NARROW, widen
from cudamaster.toolchain.devices.virtual.isa.registry import instruction
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction


def _pair(emit: Emitter, value: Value) -> list[Value]:
    upper = emit.op("lshr", value, constant("i64", 32))
    return [emit.resize(emit.resize(half, "i32"), "float") for half in (value, upper)]


@instruction("add", "f32x2")
@instruction("sub", "f32x2")
@instruction("mul", "f32x2")
@instruction("fma", "f32x2")
def of_pairs(emit: Emitter, ins: Instruction) -> None:
    """Compute in both halves."""
    require_known(ins, "rn", DIRECTED, "ftz", "f32x2")
    pairs = [_pair(emit, emit.get(operand, "b64")) for operand in ins.operands[1:]]
    low, high = (
        emit.resize(emit.resize(computed(emit, ins, ins.base, list(values)), "i32"), "i64")
        for values in zip(*pairs, strict=True)
    )
    emit.put(ins.operands[0], emit.op("or", emit.op("shl", high, constant("i64", 32)), low))


def _of_narrow_terms(emit: Emitter, ins: Instruction) -> None:
    """All operands but the last are f16 or bf16; the sum is an f32."""
    require_known(ins, "rn", DIRECTED, "sat", "f32", NARROW)
    *narrow, last = ins.operands[1:]
    values = [widen(emit, emit.get(operand, ins.type), ins.type) for operand in narrow]
    emit.put(ins.operands[0], computed(emit, ins, ins.base, [*values, emit.get(last, "f32")]))


for _base in ("add", "sub", "fma"):
    for _kind in NARROW:
        instruction(_base, "f32", _kind)(_of_narrow_terms)
