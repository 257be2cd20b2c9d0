"""Warp-wide exchange: `shfl`, `vote`, `match`, `redux`, `elect`, `activemask`.

Every lane's own membermask counts, so several groups of one warp can pass an instruction at once. A lane that
reads from one that does not take part gets a NaN pattern, so that the mistake shows in the result.
"""

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, Value, constant, lane_constants
from cudamaster.toolchain.devices.virtual.isa.registry import instruction
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Integer, Operand, Pair

ABSENT = 0x7FFFBAD0
"""What a shuffle returns for a source lane that does not take part (as in native/warp.c)."""


def _destinations(operand: Operand) -> tuple[Operand, Operand | None]:
    """Return `d` and, of `d|p`, the predicate."""
    return (operand.first, operand.second) if isinstance(operand, Pair) else (operand, None)


def _group(emit: Emitter, members: Operand) -> Value:
    """Return which lanes take part together with each lane, as bits."""
    return emit.op("and", emit.get(members, "b32"), emit.active_mask())


@instruction("shfl", "sync", waits=-1)
def shuffle(emit: Emitter, ins: Instruction) -> None:
    """Read another lane's register; lanes out of range of the segment read their own."""
    target, value, step, clamp, members = ins.operands
    destination, in_range = _destinations(target)
    mode = ins.modifiers[2]
    if isinstance(step, Integer) and isinstance(clamp, Integer):
        sources = [source_lane(mode, lane, step.value, clamp.value) for lane in range(LANES)]
        result = _fixed_shuffle(emit, emit.get(value, "b32"), [lane for lane, _ in sources], members)
        inside = lane_constants("i1", [inside for _, inside in sources])
    else:
        operands = [emit.get(operand, "b32") for operand in (value, step, clamp, members)]
        result, inside = emit.call_native(f"vg_shfl_{mode}", ["i32", "i1"], operands)
    emit.put(destination, result)
    if in_range is not None:
        emit.put(in_range, inside)


def source_lane(mode: str, lane: int, step: int, clamp: int) -> tuple[int, bool]:
    """Return the lane that `lane` reads, and whether it lies in range (PTX ISA, `shfl.sync`)."""
    segment, limit, step = clamp >> 8 & 31, clamp & 31, step & 31
    first = lane & segment
    bound = first | (limit & ~segment)
    source = {
        "up": lane - step, "down": lane + step, "bfly": lane ^ step, "idx": first | (step & ~segment)
    }[mode]  # fmt: skip
    inside = source >= bound if mode == "up" else source <= bound
    return (source, True) if inside else (lane, False)


def _fixed_shuffle(emit: Emitter, value: Value, sources: list[int], members: Operand) -> Value:
    wide = emit.lanes(value)
    order = ", ".join(f"i32 {lane}" for lane in sources)
    moved = Value(
        emit.raw(f"shufflevector {wide.typed}, {wide.full_type} poison, <{LANES} x i32> <{order}>"),
        wide.type,
        lanes=True,
    )
    if emit.all_lanes and isinstance(members, Integer) and members.value & 0xFFFFFFFF == 0xFFFFFFFF:
        return moved
    source_bits = lane_constants("i32", [1 << lane for lane in sources])
    present = emit.compare("ne", emit.op("and", source_bits, _group(emit, members)), constant("i32", 0))
    return emit.select(present, moved, constant("i32", ABSENT))


@instruction("vote", "sync", waits=-1)
def vote(emit: Emitter, ins: Instruction) -> None:
    """Combine a predicate over the members: `all`, `any`, `uni` or `ballot`."""
    destination, predicate, members = ins.operands
    group = _group(emit, members)
    yes = emit.op("and", group, emit.bit_mask(emit.get(predicate, "pred")))
    mode = next(word for word in ins.modifiers[1:] if word != "sync")  # `vote.ballot.sync` is accepted too
    if mode == "ballot":
        emit.put(destination, yes)
        return
    none, every = emit.compare("eq", yes, constant("i32", 0)), emit.compare("eq", yes, group)
    if mode == "any":
        emit.put(destination, emit.op("xor", none, constant("i1", True)))
    elif mode == "all":
        emit.put(destination, every)
    elif mode == "uni":
        emit.put(destination, emit.op("or", none, every))
    else:
        raise emit.unsupported(f"the mode {mode}")


@instruction("match", "sync", waits=-1)
def match(emit: Emitter, ins: Instruction) -> None:
    """Find the members with the same value: their mask (`any`), or all or nothing and a predicate (`all`)."""
    target, value, members = ins.operands
    destination, agreed = _destinations(target)
    kind = ins.type
    operands = [emit.get(value, kind), emit.get(members, "b32")]
    (same,) = emit.call_native(f"vg_match_any_{kind}", ["i32"], operands)
    if ins.modifiers[1] == "all":
        every = emit.compare("eq", same, _group(emit, members))
        same = emit.select(every, same, constant("i32", 0))
        if agreed is not None:
            emit.put(agreed, every)
    emit.put(destination, same)


REDUCTIONS = frozenset(
    [f"{name}_{kind}" for name in ("min", "max") for kind in ("u32", "s32")]
    + [f"{name}_b32" for name in ("and", "or", "xor")]
    + [f"{name}{sign}{nan}_f32" for name in ("min", "max") for sign in ("", "_abs") for nan in ("", "_NaN")]
    + ["add_u32"]
)
"""The reductions of native/warp.c."""


@instruction("redux", "sync", waits=-1)
def redux(emit: Emitter, ins: Instruction) -> None:
    """Reduce a register over the members."""
    destination, value, members = ins.operands
    *words, kind = ins.modifiers[2:]
    name = "_".join([*words, "u32" if words == ["add"] else kind])
    if name not in REDUCTIONS:
        raise emit.unsupported("this reduction")
    operands = [emit.get(value, kind), emit.get(members, "b32")]
    (result,) = emit.call_native(f"vg_redux_{name}", ["float" if kind == "f32" else "i32"], operands)
    emit.put(destination, result)


@instruction("activemask")
def active_mask(emit: Emitter, ins: Instruction) -> None:
    """Return the lanes that run this instruction together."""
    emit.put(ins.operands[0], emit.active_mask())


@instruction("elect", "sync", waits=-1)
def elect(emit: Emitter, ins: Instruction) -> None:
    """Choose one member, the lowest: its number to all, a predicate to it."""
    destination, elected = _destinations(ins.operands[0])
    leader = emit.intrinsic("llvm.cttz", _group(emit, ins.operands[1]), flags=["i1 false"])
    emit.put(destination, leader)
    if elected is not None:
        emit.put(elected, emit.compare("eq", leader, lane_constants("i32", range(LANES))))
