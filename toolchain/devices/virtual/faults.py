"""A fault as the C runtime wrote it down, in words: what, on which buffer, how far outside, where."""

import re

from cudamaster.toolchain.devices.virtual.codegen.frame import BLOCKED, EXITED, MOST_BLOCKS
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel
from cudamaster.toolchain.devices.virtual.runtime import FAULT_KINDS, KINDS, SPACES, NativeFault
from cudamaster.toolchain.outputs import Fault

VERBS = {"load": "reads", "store": "writes", "atomic": "updates", "ldmatrix": "reads", "async_copy": "copies"}
PLAIN_MESSAGES = {
    "trap": "the kernel executes a trap",
    "assert": "a device assertion fails",
    "timed_out": "the kernel does not end within its time limit",
    "illegal": "an instruction gets operands that hardware refuses",
    "unsupported": "the virtual GPU cannot run this",
    "stack_overflow": "calls that recurse, or alloca, need more than the 16 KiB of a thread's stack",
}
PAST = {"load": "read", "store": "wrote", "atomic": "updated", "ldmatrix": "read", "async_copy": "copied"}
PASSIVE = PAST | {"store": "overwritten", "async_copy": "overwritten"}
ENDINGS = {"use_after_free": "was freed", "uninitialised": "nothing has written", "ended": "has ended"}
REFUSALS = {
    -1: "a bulk copy has a size that is not a multiple of 16 bytes",
    -2: "a bulk copy completes on a barrier of another block than the one it copies to",
    -3: "the cluster has no block of the rank that is asked for",
    -4: "a tensor map was not made by cuTensorMapEncodeTiled or -Im2col, or is not at a multiple of 64 bytes",
    -5: "a tensor copy's place in shared memory is not at a multiple of 128 bytes",
    -6: "a tensor copy and its tensor map have different numbers of dimensions",
    -7: "a thread arrives at the cluster's barrier again before it has waited there",
    -8: "the metadata of a sparse product of TF32 has four bits that are neither 0b0100 nor 0b1110",
    -9: "a tensor map has a size, stride, address or row of its box that hardware refuses",
    -10: "a tensor map is used in another mode than it was made for: one is tiled, the other im2col",
    -11: "an im2col copy begins outside its map's bounding box, or has an offset that is too large",
    -12: "an im2col copy to global memory has a map whose bounding box is larger than the tensor",
}
"""Of faults that are `illegal`, by the numbers of native/bulk.h."""
CLUSTER_BARRIER = 16
NULL_BYTES = 1 << 16
"""Addresses below this come from null pointers."""
FAR_BYTES = 1 << 40
"""How far off an address says nothing of the buffer that is nearest."""
AT_ODDS = frozenset({"race", "in_flight", "stale"})
"""Kinds of faults that are between two accesses."""
_NAME = re.compile(r"(\d+)")


def demangled(name: str) -> str:
    """Return the function name within an Itanium-mangled one, without its parameters."""
    rest, parts = name.removeprefix("_Z"), []
    nested = rest.startswith("N")
    rest = rest.removeprefix("N")
    while rest != name and (match := _NAME.match(rest)):
        end = match.end() + int(match[1])
        parts.append(rest[match.end() : end])
        rest = rest[end:]
        if not nested:
            break
    return "::".join("(anonymous)" if part.startswith("_GLOBAL__N") else part for part in parts) or name


def fault_of(native: NativeFault, request: LaunchRequest, kernel: Kernel) -> Fault:
    """Return the fault as the toolchain's value."""
    kind = FAULT_KINDS[native.kind]
    message = _message(kind, native, kernel) if kind not in AT_ODDS else _odds_message(kind, native, request)
    return Fault(
        kind=kind,
        message=message,
        kernel=demangled(request.kernel),
        line=_line(native, kernel),
        block=_unfold(native.block, request.grid),
        thread=_unfold(32 * native.warp + native.lane, request.block),
        other_line=native.other_line or None,
    )


def _unfold(index: int, size: tuple[int, int, int]) -> tuple[int, int, int]:
    return index % size[0], index // size[0] % size[1], index // size[0] // size[1]


def _line(native: NativeFault, kernel: Kernel) -> int | None:
    if native.line >= 0:
        return native.line or _line_of(native.pc, kernel)
    source = [i.source for block in kernel.blocks for i in block][-1 - native.line]
    return source.line if source else None


def _line_of(counter: int, kernel: Kernel) -> int | None:
    """Return the line where a lane is: of the barrier it waits at, or of the block it would run next."""
    index = counter & (MOST_BLOCKS - 1)
    if counter == EXITED or index >= len(kernel.blocks) + 1:
        return None
    block = (
        kernel.blocks[index - 1] if counter & BLOCKED else kernel.blocks[min(index, len(kernel.blocks) - 1)]
    )
    ordered = reversed(block) if counter & BLOCKED else iter(block)
    return next((i.source.line for i in ordered if i.source), None)


def _message(kind: str, native: NativeFault, kernel: Kernel) -> str:
    if kind in ("out_of_bounds", "misaligned", "input_written", *ENDINGS):
        return _access_message(kind, native)
    if kind == "illegal" and native.detail in REFUSALS:
        return REFUSALS[native.detail]
    if kind == "deadlock" and native.pc & BLOCKED:
        return f"threads wait at {_barrier(native.detail)} for others that never come"
    if kind == "deadlock" and native.detail < 0:
        return f"blocks wait for others that cannot start: the GPU holds {-native.detail} of them at a time"
    if kind == "deadlock" and native.detail:
        return "threads go round a loop for ever: nothing that could end it changes any more"
    if kind == "deadlock":
        return "threads poll for something that no thread will do"
    if kind == "barrier_divergence" and native.access < 0:
        return "passes by the barrier at which other threads of its warp wait"
    if kind == "barrier_divergence":
        return f"threads of a block wait at different barriers (one is {_barrier(native.detail)})"
    return PLAIN_MESSAGES[kind]


def _barrier(number: int) -> str:
    return "the cluster's barrier" if number == CLUSTER_BARRIER else f"barrier {number}"


def _access_message(kind: str, native: NativeFault) -> str:
    verb = VERBS[KINDS[native.access]]
    name, offset = _buffer(native), native.address - native.base
    if kind == "misaligned":
        return (
            f"{verb} {native.bytes} bytes at byte {offset} of {name}, "
            f"whose address is not a multiple of {native.bytes}"
        )
    if kind == "input_written":
        return f"{verb} {native.bytes} bytes at byte {offset} of the read-only {name}"
    if kind in ENDINGS:
        return f"{verb} {native.bytes} bytes at byte {offset} of {name}, which {ENDINGS[kind]}"
    is_null = native.address < NULL_BYTES and SPACES[native.space] in ("global", "generic")
    if is_null or not -FAR_BYTES < offset < native.size + FAR_BYTES or not native.size:
        pointer = "through a null pointer" if is_null else "far from every buffer"
        return f"{verb} {native.bytes} bytes {pointer}, at address {native.address:#x}"
    return f"{verb} {native.bytes} bytes {_distance(native)} {name} ({native.size} bytes)"


def _buffer(native: NativeFault) -> str:
    space = SPACES[native.space]
    if space in ("shared", "local"):
        return f"{space} memory"
    if space == "shared_cluster":
        return "the shared memory of a block of the cluster"
    return str(native.buffer.decode(errors="replace")) or "a device buffer"


def _odds_message(kind: str, native: NativeFault, request: LaunchRequest) -> str:
    """What two accesses have against each other; the sentence goes on with the place of the second."""
    place = f"{native.bytes} bytes at byte {native.address - native.base} of {_buffer(native)}"
    verb, at = PASSIVE[KINDS[native.access]], f" at line {native.other_line}" if native.other_line else ""
    if kind == "in_flight":
        return f"a missing wait: the asynchronous copy{at} still brings {place} that are {verb}"
    other = f"thread {_unfold(32 * native.other_warp + native.other_lane, request.block)}"
    lacking = "__syncwarp()" if native.other_warp == native.warp else "__syncthreads()"
    if native.other_block != native.block:
        other += f" of block {_unfold(native.other_block, request.grid)}"
        lacking = "anything that orders the blocks"
    past = PAST[KINDS[native.other_access]]
    if kind == "stale":
        return (
            f"a stale read: {other} {past} {place}{at}, and they are read as what nothing writes while the "
            "kernel runs (ld.global.nc, by __ldg() or a const __restrict__ pointer)"
        )
    return f"a race: {other} {past} {place}{at}, and without {lacking} they are {verb}"


def _distance(native: NativeFault) -> str:
    if native.address < native.base:
        return f"{native.base - native.address} bytes before the start of"
    end = native.base + native.size
    if native.address < end:
        return f"across the end, of which {native.address + native.bytes - end} past it, of"
    return f"{native.address - end} bytes past the end of"
