"""Loads, stores, moves, address conversions and the hints that change nothing."""

from cudamaster.toolchain.devices.virtual.codegen import access, frame, load_store
from cudamaster.toolchain.devices.virtual.codegen.emitter import LLVM_TYPES, Emitter, type_bytes
from cudamaster.toolchain.devices.virtual.codegen.ir import BITS, Value, constant
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import Address, Instruction, Operand, Vector

SPACES = ("global", "shared", "local", "const", "param", "shared_cluster")
ORDERED = frozenset({"volatile", "acquire", "relaxed", "mmio"})
"""Modifiers of loads that may be polling for what another warp writes."""
SHARED_POLL_WEIGHT = 4096
"""What a polling load of shared memory takes off the time slice: a little, since reductions look alike."""
WIDE = "b128"
"""Accessed as two halves."""
VECTORS = {"v2": 2, "v4": 4, "v8": 8}


def state_space(ins: Instruction) -> str:
    """Return the state space in the opcode, `generic` if it names none."""
    for modifier in ins.modifiers[1:]:
        name = modifier if modifier == "shared_cluster" else modifier.partition("_")[0]
        if name in SPACES:
            return name
    return "generic"


def form_of(ins: Instruction) -> tuple[int, int]:
    """Return bytes of an element and elements a lane."""
    if ins.type not in LLVM_TYPES or ins.type == "pred":
        raise unsupported(ins)
    count = next((VECTORS[m] for m in ins.modifiers if m in VECTORS), 1)
    return (8, 2 * count) if ins.type == WIDE else (type_bytes(ins.type), count)


def items_of(operand: Operand) -> tuple[Operand, ...]:
    """Return the elements of a vector, or the operand alone."""
    return operand.items if isinstance(operand, Vector) else (operand,)


def address_operand(ins: Instruction, operand: Operand) -> Address:
    """Return `operand`; raise Unsupported where it is no address."""
    if not isinstance(operand, Address):
        raise unsupported(ins, f"the address {operand}")
    return operand


@instruction("ld", "param", uniform=True)
@instruction("ld", "param_entry", uniform=True)
def load_parameter(emit: Emitter, ins: Instruction) -> None:
    """Load from the kernel's parameters."""
    _load(emit, ins)


@instruction("ld")
@instruction("ldu")
def load(emit: Emitter, ins: Instruction) -> None:
    """Load one to eight elements a lane; signed ones are extended to the register's width."""
    _load(emit, ins)
    if "acquire" in ins.modifiers:
        emit.line("fence acquire")
    if not ORDERED.isdisjoint(ins.modifiers):
        if state_space(ins) == "shared":
            emit.yield_soon(SHARED_POLL_WEIGHT, frame.POLLS_OWN)
        else:
            emit.yield_soon()


def _load(emit: Emitter, ins: Instruction) -> None:
    elements = load_store.load(emit, address_operand(ins, ins.operands[1]), state_space(ins), form_of(ins))
    if ins.type == WIDE:
        elements = [_joined(emit, *pair) for pair in zip(elements[::2], elements[1::2], strict=True)]
    for destination, value in zip(items_of(ins.operands[0]), elements, strict=True):
        emit.put(destination, value, signed=ins.type.startswith("s"))


def _joined(emit: Emitter, low: Value, high: Value) -> Value:
    raised = emit.op("shl", emit.resize(high, "i128"), constant("i128", 64))
    return emit.op("or", raised, emit.resize(low, "i128"))


def _halves(emit: Emitter, value: Value) -> list[Value]:
    upper = emit.op("lshr", value, constant("i128", 64))
    return [emit.resize(half, "i64") for half in (value, upper)]


@instruction("st", writes=0)
def store(emit: Emitter, ins: Instruction) -> None:
    """Store one to eight elements a lane."""
    if "release" in ins.modifiers:
        emit.line("fence release")
    form = form_of(ins)
    items = items_of(ins.operands[1])
    if ins.type == WIDE:
        values = [half for item in items for half in _halves(emit, emit.get(item, WIDE))]
    else:
        values = [emit.get(item, f"b{8 * form[0]}") for item in items]
    load_store.store(emit, address_operand(ins, ins.operands[0]), state_space(ins), form, values)


@instruction("mov", uniform=True)
def move(emit: Emitter, ins: Instruction) -> None:
    """Copy, pack elements into a wider register, or unpack them."""
    destination, source = ins.operands
    if isinstance(source, Vector) and isinstance(destination, Vector):
        _move_elements(emit, ins, destination, source)
    elif isinstance(source, Vector):
        emit.put(destination, _pack(emit, ins, source))
    elif isinstance(destination, Vector):
        _unpack(emit, ins, destination, emit.get(source, ins.type))
    else:
        emit.put(destination, emit.get(source, ins.type))


def _move_elements(emit: Emitter, ins: Instruction, destination: Vector, source: Vector) -> None:
    """Copy a vector's elements, which are all read first: `mov.v2.b32 v, {v.y, v.x}`."""
    if f"v{len(source.items)}" not in ins.modifiers or len(source.items) != len(destination.items):
        raise unsupported(ins, "these operands")
    values = [emit.get(item, ins.type) for item in source.items]
    for item, value in zip(destination.items, values, strict=True):
        emit.put(item, value)


def _pack(emit: Emitter, ins: Instruction, source: Vector) -> Value:
    whole = f"i{8 * type_bytes(ins.type)}"
    width = BITS[whole] // len(source.items)
    packed = constant(whole, 0)
    for index, item in enumerate(source.items):
        element = emit.resize(emit.get(item, f"b{width}"), whole)
        packed = emit.op("or", packed, emit.op("shl", element, constant(whole, width * index)))
    return packed


def _unpack(emit: Emitter, ins: Instruction, destination: Vector, value: Value) -> None:
    whole = emit.resize(value, f"i{BITS[value.type]}")
    width = BITS[whole.type] // len(destination.items)
    for index, item in enumerate(destination.items):
        element = emit.op("lshr", whole, constant(whole.type, width * index))
        emit.put(item, emit.resize(element, f"i{width}"))


def _window(emit: Emitter, space: str) -> Value:
    """Return the generic address at which a space begins, for each lane."""
    return access.window_of(emit, space) or constant("i64", 0)


@instruction("cvta", "local")
def convert_local_address(emit: Emitter, ins: Instruction) -> None:
    """Convert between local addresses and generic ones, which differ from lane to lane."""
    convert_address(emit, ins)


@instruction("cvta", uniform=True)
def convert_address(emit: Emitter, ins: Instruction) -> None:
    """Convert an address of a space to a generic one, or back (`.to`)."""
    address = emit.resize(emit.get(ins.operands[1], ins.type), "i64")
    if state_space(ins) == "shared" and "to" in ins.modifiers and address.lanes and emit.maps_addresses:
        (converted,) = emit.call_native("vg_to_cluster_shared", ["i64"], [address])
        emit.put(ins.operands[0], emit.resize(converted, LLVM_TYPES[ins.type]))
        return
    opcode = "sub" if "to" in ins.modifiers else "add"
    converted = emit.op(opcode, address, _window(emit, state_space(ins)))
    emit.put(ins.operands[0], emit.resize(converted, LLVM_TYPES[ins.type]))


@instruction("isspacep")
def is_address_of(emit: Emitter, ins: Instruction) -> None:
    """Whether a generic address lies in a space's window; what lies in no other window is global."""
    address, space = emit.get(ins.operands[1], "u64"), state_space(ins)
    inside = [_inside(emit, address, each) for each in ("shared", "local", "param")]
    if space in ("global", "const"):
        (anyones,) = emit.call_native("vg_is_cluster_shared", ["i1"], [address])
        other = emit.op("or", emit.op("or", anyones, inside[1]), inside[2])
        result = emit.op("xor", other, constant("i1", True)) if space == "global" else constant("i1", False)
    else:
        result = inside[("shared", "local", "param").index(space)]
    emit.put(ins.operands[0], result)


def _inside(emit: Emitter, address: Value, space: str) -> Value:
    if space == "shared":
        size = emit.resize(emit.load("i32", emit.offset("%block", frame.BLOCK_SHARED_BYTES)), "i64")
    elif space == "local":
        size = constant("i64", emit.layout.local_bytes)
    else:
        size = constant("i64", sum(p.size for p in emit.kernel.parameters))
    return emit.compare("ult", emit.op("sub", address, _window(emit, space)), size)


@instruction("prefetch", writes=0)
@instruction("prefetchu", writes=0)
@instruction("discard", writes=0)
@instruction("applypriority", writes=0)
def no_effect(emit: Emitter, ins: Instruction) -> None:
    """Nothing: caches have no values of their own here."""


@instruction("fence", writes=0)
@instruction("membar", writes=0)
def order_accesses(emit: Emitter, ins: Instruction) -> None:
    """Order a warp's accesses for blocks that other threads run here; those of its own block are in order."""
    if "cta" not in ins.modifiers:
        emit.line("fence acq_rel" if "acq_rel" in ins.modifiers else "fence seq_cst")


@instruction("createpolicy")
def create_policy(emit: Emitter, ins: Instruction) -> None:
    """A cache policy, which nothing reads."""
    emit.put(ins.operands[0], constant("i64", 0))
