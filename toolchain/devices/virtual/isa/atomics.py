"""`atom` and `red`: read-modify-write of memory, by native/atomics.c.

Scopes and orderings are accepted and all run sequentially consistent; vector forms update their elements one
by one. 128-bit forms are not here.
"""

from cudamaster.toolchain.devices.virtual.codegen import frame
from cudamaster.toolchain.devices.virtual.codegen.dispatcher import FAIR_PERIOD
from cudamaster.toolchain.devices.virtual.codegen.emitter import LLVM_TYPES, Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import TYPE_BYTES, Instruction, Integer, Operand, Vector

ORDERS = ("relaxed", "acquire", "release", "acq_rel", "cta", "cluster", "gpu", "sys")
SPACES = {"global": "global", "shared": "shared", "shared_cta": "shared", "shared_cluster": "shared_cluster"}
VECTORS = {"v2": 2, "v4": 4, "v8": 8}
BITWISE = ("and", "or", "xor", "exch", "cas")
OPERATIONS = ("add", "min", "max", "inc", "dec", *BITWISE)
HALVES = ("f16", "bf16", "f16x2", "bf16x2")
KNOWN = frozenset(
    [f"{name}_{kind}" for name in ("min", "max") for kind in ("u32", "s32", "u64", "s64")]
    + [f"{name}_{kind}" for name in ("and", "or", "xor") for kind in ("b32", "b64")]
    + [f"{name}_{kind}" for name in ("exch", "cas") for kind in ("b16", "b32", "b64", "b128")]
    + [f"{name}_{kind}" for name in ("min", "max") for kind in HALVES]
    + [f"add_{kind}" for kind in ("u32", "u64", "f32", "f64", "f16", "bf16", "f16x2", "bf16x2")]
    + ["inc_u32", "dec_u32"]
)
"""The functions of native/atomics.c, after `vg_atom_` and `vg_atom_shared_`."""


CACHE_HINT = "L2_cache_hint"


def without_hint(ins: Instruction) -> tuple[Operand, ...]:
    """Return the operands but for a cache policy, the last of an opcode with a hint."""
    return ins.operands[:-1] if CACHE_HINT in ins.modifiers else ins.operands


def _name(ins: Instruction, kind: str) -> str:
    """Return which function does it, or raise Unsupported."""
    require_known(ins, ORDERS, SPACES, VECTORS, OPERATIONS, "noftz", CACHE_HINT, TYPE_BYTES)
    operation = next((word for word in ins.modifiers[1:] if word in OPERATIONS), "")
    if operation in BITWISE and kind:
        kind = f"b{8 * TYPE_BYTES[kind]}"
    elif operation == "add":
        kind = {"s32": "u32", "s64": "u64"}.get(kind, kind)
    name = f"{operation}_{kind}"
    if name not in KNOWN:
        raise unsupported(ins)
    return name


@instruction("atom")
def fetch_andupdate_places(emit: Emitter, ins: Instruction) -> None:
    """Update memory and return what was there before."""
    destination, address, *sources = without_hint(ins)
    old = update_places(emit, ins, address, sources)
    if sources[0] == Integer(0) and not {"add", "or"}.isdisjoint(ins.modifiers):
        emit.yield_soon(POLLING_WEIGHT)
    elif len(old) == 1 and not {"cas", "exch"}.isdisjoint(ins.modifiers):
        _let_others_run(emit, _is_vain(emit, ins, old[0], sources[0]))
    targets = destination.items if isinstance(destination, Vector) else (destination,)
    for target, value in zip(targets, old, strict=True):
        emit.put(target, value)


POLLING_WEIGHT = 1 << 15
"""What a swap in vain, or an update by zero, takes off the time slice: sixteen end it."""


def _is_vain(emit: Emitter, ins: Instruction, old: Value, operand: Operand) -> Value:
    """Return whether no lane's swap changed memory, as when a lock is polled."""
    given = emit.get(operand, ins.type)
    changes = emit.compare("eq" if "cas" in ins.modifiers else "ne", old, given)
    changing = emit.op("and", emit.bit_mask(changes), emit.active_mask())
    return emit.compare("eq", changing, constant("i32", 0))


def _let_others_run(emit: Emitter, is_vain: Value) -> None:
    """After a swap in vain, let the warp's other lanes run next, and other warps soon."""
    polling, done = emit.new_label(), emit.new_label()
    emit.line(f"br i1 {is_vain.text}, label %{polling}, label %{done}")
    emit.label(polling)
    emit.yield_soon(POLLING_WEIGHT)
    place = emit.offset("%warp", frame.WARP_DISPATCHES)
    emit.store(emit.op("or", emit.load("i32", place), constant("i32", FAIR_PERIOD - 1)), place)
    emit.line(f"br label %{done}")
    emit.label(done)


@instruction("red", writes=0)
def update(emit: Emitter, ins: Instruction) -> None:
    """Update memory."""
    address, *sources = without_hint(ins)
    update_places(emit, ins, address, sources)


def update_places(emit: Emitter, ins: Instruction, address: Operand, sources: list[Operand]) -> list[Value]:
    """Return the old elements: one, or one for each item of a vector."""
    kind = next((word for word in ins.modifiers if word in TYPE_BYTES), "")
    name = _name(ins, kind)
    space = next((SPACES[word] for word in ins.modifiers if word in SPACES), "generic")
    count = next((VECTORS[word] for word in ins.modifiers if word in VECTORS), 1)
    places = emit.addresses(address, space, "atomic", count * TYPE_BYTES[kind])
    function = f"vg_atom_{'shared_' if space == 'shared' else ''}{name}"
    items = [source.items if isinstance(source, Vector) else (source,) for source in sources]
    old = []
    for i in range(count):
        values = [emit.get(source[i], kind) for source in items]
        place = places if i == 0 else _moved(emit, places, i * TYPE_BYTES[kind])
        old += emit.call_native(function, [LLVM_TYPES[kind]], [place, *values])
    return old


def _moved(emit: Emitter, places: str, count: int) -> str:
    """Return addresses `count` bytes further on."""
    first = emit.load("i64", places, lanes=True, align=64)
    return emit.spill(emit.op("add", first, constant("i64", count)), "atomic.element")
