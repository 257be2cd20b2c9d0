"""Tensor-core products on register fragments, and the matrices they come from: `mma`, `ldmatrix`, `stmatrix`.

Products are exact and sums are float32 (see native/fragment.h). Sparse forms are in `sparse`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, Value, constant
from cudamaster.toolchain.devices.virtual.isa.floating import DIRECTED, rounding
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Operand, Vector


@dataclass(frozen=True, slots=True)
class Form:
    """Registers of each fragment of one shape and type of `mma`."""

    d: int
    a: int
    b: int
    element: str = "i32"
    """LLVM type of a register."""

    @property
    def register_bytes(self) -> int:
        """Bytes of one register in all lanes."""
        return LANES * (8 if self.element == "double" else 4)


FP8 = ("e4m3", "e5m2")
BYTES = ("s8", "u8")
FORMS = {
    "m16n8k8_f32_bf16_bf16": Form(4, 2, 1),
    "m16n8k16_f32_bf16_bf16": Form(4, 4, 2),
    "m16n8k8_f32_f16_f16": Form(4, 2, 1),
    "m16n8k16_f32_f16_f16": Form(4, 4, 2),
    "m16n8k8_f16_f16_f16": Form(2, 2, 1),
    "m16n8k16_f16_f16_f16": Form(2, 4, 2),
    "m16n8k4_f32_tf32_tf32": Form(4, 2, 1),
    "m16n8k8_f32_tf32_tf32": Form(4, 4, 2),
    "m8n8k4_f64_f64_f64": Form(2, 1, 1, "double"),
    "m16n8k4_f64_f64_f64": Form(4, 2, 1, "double"),
    "m16n8k8_f64_f64_f64": Form(4, 4, 2, "double"),
    "m16n8k16_f64_f64_f64": Form(4, 8, 4, "double"),
    **{f"m16n8k16_f16_{a}_{b}": Form(2, 2, 1) for a in FP8 for b in FP8},
    **{f"m16n8k32_f16_{a}_{b}": Form(2, 4, 2) for a in FP8 for b in FP8},
    **{f"m16n8k16_f32_{a}_{b}": Form(4, 2, 1) for a in FP8 for b in FP8},
    **{f"m16n8k32_f32_{a}_{b}": Form(4, 4, 2) for a in FP8 for b in FP8},
    **{f"{s}m16n8k16_s32_{a}_{b}": Form(4, 2, 1) for s in ("", "satfinite_") for a in BYTES for b in BYTES},
    **{f"{s}m16n8k32_s32_{a}_{b}": Form(4, 4, 2) for s in ("", "satfinite_") for a in BYTES for b in BYTES},
}
"""Fragments by the name that the function in native/tensor.c has after `vg_mma_`."""
SHAPE = re.compile(r"m(8|16)n8k(\d+)$")
ELEMENT_BITS = {"b1": 1, "s4": 4, "u4": 4, "s8": 8, "u8": 8}
QUAD_PAIR_FLAGS = {"a": 1, "b": 2, "c": 4, "d": 8}
"""As in native/tensor_small.c: A or B by columns, C or D of float32."""


@instruction("mma", "sync", waits="warp")
def multiply(emit: Emitter, ins: Instruction) -> None:
    """D = A B + C on fragments."""
    name = _form_name(ins)
    if name is None or name not in FORMS:
        _multiply_small(emit, ins)
        return
    _call(emit, ins, FORMS[name], name, rounding_of(ins, FORMS[name]))


def rounding_of(ins: Instruction, form: Form) -> tuple[int, ...]:
    """Return the last argument of a product of float64, the number of its rounding mode; others have none."""
    mode = rounding(ins)
    if form.element == "double":
        return (mode or 0,)
    if mode is not None:
        raise unsupported(ins, "this rounding")
    return ()


def _call(emit: Emitter, ins: Instruction, form: Form, name: str, arguments: tuple[int, ...]) -> None:
    d, a, b, c = (registers(operand) for operand in ins.operands)
    sources = [
        write_fragment(emit, f"mma.{letter}", [_source(emit, form, register) for register in operand])
        for letter, operand in (("a", a), ("b", b), ("c", c))
    ]
    result = emit.buffer("mma.d", form.element, LANES * len(d))
    emit.call_native(f"vg_mma_{name}", [], [result, *sources, *arguments])
    for i, register in enumerate(d):
        emit.put(register, read_register(emit, result, form, i))


def _multiply_small(emit: Emitter, ins: Instruction) -> None:
    """The forms of native/tensor_small.c: integers of up to eight bits in other shapes, and m8n8k4 of f16."""
    require_known(ins, "sync", "aligned", "row", "col", "satfinite", "xor", "and", "popc",
                  ELEMENT_BITS, "s32", "f16", "f32", "m8n8k4",
                  [word for word in ins.modifiers if SHAPE.match(word)])  # fmt: skip
    shape = next((match for word in ins.modifiers if (match := SHAPE.match(word))), None)
    kinds = [word for word in ins.modifiers if word in ELEMENT_BITS]
    if shape is None or len(ins.operands) != 4:
        raise emit.unsupported("this shape and these types")
    if len(kinds) == 2:
        name, arguments = small_product(kinds[0], kinds[1], int(shape[1]), int(shape[2]), ins.modifiers)
        _call(emit, ins, Form(0, 0, 0), name, arguments)
    elif shape[0] == "m8n8k4" and ins.modifiers[-3:-1] == ("f16", "f16"):
        _call(emit, ins, Form(0, 0, 0), "quad_pairs", (_quad_pair_layout(ins),))
    else:
        raise emit.unsupported("this shape and these types")


def small_product(a: str, b: str, rows: int, depth: int, words: Iterable[str]) -> tuple[str, tuple[int, ...]]:
    """Return the C function of an integer product, after `vg_mma_`, and its last arguments."""
    bits = ELEMENT_BITS[a]
    halves, steps = rows // 8, depth * bits // 128
    if bits == 1:
        return "bits", (halves, steps, int("and" in words))
    signs = a.startswith("s") + 2 * b.startswith("s")
    return "integers", (halves, steps, bits, signs, int("satfinite" in words))


def _quad_pair_layout(ins: Instruction) -> int:
    row_or_col = [word for word in ins.modifiers if word in ("row", "col")]
    holds = {
        "a": row_or_col[0] == "col", "b": row_or_col[1] == "col",
        "c": ins.modifiers[-1] == "f32", "d": ins.modifiers[-4] == "f32",
    }  # fmt: skip
    return sum(flag for letter, flag in QUAD_PAIR_FLAGS.items() if holds[letter])


IGNORED = ("mma", "sync", "aligned", "satfinite", "rn", *DIRECTED, "kind_f8f6f4")


def _form_name(ins: Instruction) -> str | None:
    """Return the name of the C function: shape and types of D, A and B."""
    words = [word for word in ins.modifiers if word not in IGNORED]
    if len(words) != 7 or words[1:3] != ["row", "col"] or words[3] != words[6]:
        return None
    prefix = "satfinite_" if "satfinite" in ins.modifiers else ""
    return prefix + "_".join([words[0], *words[3:6]])


def registers(operand: Operand) -> tuple[Operand, ...]:
    """Return the items of `{…}`, or a single register."""
    return operand.items if isinstance(operand, Vector) else (operand,)


def _source(emit: Emitter, form: Form, register: Operand) -> Value:
    return emit.get(register, "f64" if form.element == "double" else "b32")


def write_fragment(emit: Emitter, name: str, values: Iterable[Value]) -> str:
    """Store registers one after the other, 32 lanes each, and return the pointer."""
    wide = [emit.lanes(value) for value in values]
    width = 8 if wide[0].type in ("i64", "double") else 4
    pointer = emit.buffer(name, wide[0].type, LANES * len(wide))
    for i, value in enumerate(wide):
        emit.store(value, emit.offset(pointer, width * LANES * i), align=64)
    return pointer


def read_register(emit: Emitter, fragment: str, form: Form, index: int) -> Value:
    """Load one register of a fragment."""
    return emit.load(form.element, emit.offset(fragment, form.register_bytes * index), lanes=True, align=64)


# --- 8x8 matrices of 16-bit elements

ROW_BYTES = 16
COUNTS = {"x1": 1, "x2": 2, "x4": 4}


def _matrix_count(emit: Emitter, ins: Instruction) -> int:
    if not {"m8n8", "b16"} <= set(ins.modifiers):
        raise emit.unsupported("this shape")
    return next(COUNTS[word] for word in ins.modifiers if word in COUNTS)


def _row_addresses(emit: Emitter, ins: Instruction, address: Operand, kind: str, count: int) -> str:
    """Return the checked host addresses of the rows, which the first 8 * count lanes bring."""
    bringing = constant("i32", (1 << 8 * count) - 1)
    space = "generic" if {"shared", "shared_cta"}.isdisjoint(ins.modifiers) else "shared"
    return emit.addresses(address, space, kind, ROW_BYTES, mask=bringing)


@instruction("ldmatrix", "sync", waits="warp")
def load_matrix(emit: Emitter, ins: Instruction) -> None:
    """Load matrices, whose rows the lanes address, into fragments."""
    destination, address = ins.operands
    count = _matrix_count(emit, ins)
    rows = _row_addresses(emit, ins, address, "ldmatrix", count)
    suffix = "_trans" if "trans" in ins.modifiers else ""
    result = emit.buffer("matrix", "i32", LANES * max(COUNTS.values()))
    emit.call_native(f"vg_ldmatrix{suffix}", [], [result, rows, count])
    for i, register in enumerate(registers(destination)):
        emit.put(register, emit.load("i32", emit.offset(result, 4 * LANES * i), lanes=True, align=64))


@instruction("stmatrix", "sync", writes=0, waits="warp")
def store_matrix(emit: Emitter, ins: Instruction) -> None:
    """Store matrices held in fragments to rows that the lanes address."""
    address, source = ins.operands
    count = _matrix_count(emit, ins)
    values = write_fragment(emit, "matrix", [emit.get(register, "b32") for register in registers(source)])
    rows = _row_addresses(emit, ins, address, "store", count)
    suffix = "_trans" if "trans" in ins.modifiers else ""
    emit.call_native(f"vg_stmatrix{suffix}", [], [values, rows, count])


@instruction("movmatrix", "sync", waits="warp")
def transpose_matrix(emit: Emitter, ins: Instruction) -> None:
    """Transpose one matrix between the lanes of a warp."""
    destination, source = ins.operands
    (result,) = emit.call_native("vg_movmatrix_trans", ["i32"], [emit.get(source, "b32")])
    emit.put(destination, result)
