"""Tensor maps changed by kernels: `tensormap.replace`, `tensormap.cp_fenceproxy` (native/tensor_change.c)."""

from cudamaster.toolchain.devices.virtual.codegen import access
from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import constant
from cudamaster.toolchain.devices.virtual.isa.bulk import ROW_BYTES
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import Address, Instruction, Integer, Operand

FIELDS = (
    "global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride", "elemtype",
    "swizzle_mode", "fill_mode", "without_effect",
)  # fmt: skip
"""Numbered as in native/tensor_change.c."""
OF_A_DIMENSION = ("box_dim", "global_dim", "global_stride", "element_stride")
NUMBERS = {
    "elemtype": {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 10, 9: 8, 10: 9},
    "swizzle_mode": {0: 0, 1: 16, 2: 48, 3: 112},
    "fill_mode": {0: 0, 1: 1},
    "interleave_layout": {0: 0},
    "swizzle_atomicity": {0: 0},
}
"""What the literals of PTX stand for: elements like CUtensorMapDataType, swizzles as their address bits.
Not here: TF32 and packed elements, interleaved layouts, atoms larger than 16 bytes."""
SPACES = {"global": "global", "shared_cta": "shared", "shared": "shared"}
SCOPES = ("cta", "cluster", "gpu", "sys")
MAP_BYTES = 128
DIMENSIONS = 5


def _place(emit: Emitter, ins: Instruction, operand: Operand, space: str, tag: str) -> str:
    if not isinstance(operand, Address):
        raise unsupported(ins, "these operands")
    return emit.spill(access.host_address(emit, access.location(emit, operand), space), f"tensormap.{tag}")


@instruction("tensormap", "replace", "tile", writes=0)
def replace_field(emit: Emitter, ins: Instruction) -> None:
    """Replace one field of a map in shared or global memory."""
    field = next((word for word in ins.modifiers if word in FIELDS or word in NUMBERS), "")
    require_known(ins, "replace", "tile", field, SPACES, "b1024", "b32", "b64")
    place, *rest = ins.operands
    axis = _dimension(ins, rest.pop(0)) if field in OF_A_DIMENSION else 0
    if not field or len(rest) != 1:
        raise unsupported(ins, "these operands")
    if field in NUMBERS:
        value = constant("i64", _number(ins, field, rest[0]))
    else:
        value = emit.resize(emit.get(rest[0], ins.type), "i64")
    space = next((SPACES[word] for word in ins.modifiers if word in SPACES), "generic")
    places = [_place(emit, ins, place, space, "place"), emit.spill(value, "tensormap.value")]
    number = FIELDS.index(field if field in FIELDS else "without_effect")
    site = emit.site(space, "store", ROW_BYTES, ".map")
    emit.call_native("vg_tensor_map_replace", [], [*places, number, axis, site])


def _dimension(ins: Instruction, operand: Operand) -> int:
    most = DIMENSIONS - 1 if "global_stride" in ins.modifiers else DIMENSIONS
    if not isinstance(operand, Integer) or not 0 <= operand.value < most:
        raise unsupported(ins, "this dimension")
    return operand.value


def _number(ins: Instruction, field: str, operand: Operand) -> int:
    if not isinstance(operand, Integer) or operand.value not in NUMBERS[field]:
        raise unsupported(ins, f"this {field}")
    return NUMBERS[field][operand.value]


@instruction("tensormap", "cp_fenceproxy", writes=0, waits="warp")
def publish(emit: Emitter, ins: Instruction) -> None:
    """Copy a map from shared to global memory, where tensor copies may use it."""
    require_known(ins, "cp_fenceproxy", SPACES, "tensormap_generic", "release", SCOPES, "sync", "aligned")
    target, source, size = ins.operands
    if not isinstance(size, Integer) or size.value != MAP_BYTES:
        raise unsupported(ins, "this size")
    places = [_place(emit, ins, target, "global", "to"), _place(emit, ins, source, "shared", "from")]
    sites = (emit.site("shared", "load", ROW_BYTES, ".from"), emit.site("global", "store", ROW_BYTES, ".to"))
    emit.call_native("vg_tensor_map_publish", [], [*places, *sites])
