"""What kinds of instructions a launch executes: the PTX, in the slots that ptxas is taken to give it."""

from collections import defaultdict
from collections.abc import Mapping

from cudamaster.toolchain.devices.virtual.cost.model import ModelledLaunch
from cudamaster.toolchain.devices.virtual.cost.work import Pipe
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction

_PIPES = {
    Pipe.FMA: "fp32", Pipe.IMAD: "integer", Pipe.HALF: "half", Pipe.ALU: "integer", Pipe.XU: "special",
    Pipe.FP64: "fp64", Pipe.SHUFFLE: "exchange",
}  # fmt: skip
_TENSOR = frozenset({"mma", "wgmma"})


def instruction_mix(modelled: ModelledLaunch) -> Mapping[str, float]:
    """Share of the executed warp instructions by kind, the commonest first; they sum to 1."""
    subject = modelled.subject
    spaces = {site.instruction: site.space for site in subject.sites}
    slots: defaultdict[str, float] = defaultdict(float)
    counts = subject.launch.block_counts[:, 0].tolist()
    for block, warps in zip(subject.launch.kernel.blocks, counts, strict=True):
        for instruction in block if warps else ():
            work, share = subject.lowering.work(instruction), warps * subject.lowering.share(instruction)
            for pipe, taken in work.pipes:
                slots[_kind(instruction, pipe, spaces)] += taken * share
            slots["tensor" if _is_tensor(instruction) else "control"] += share * (
                work.issue - sum(taken for _, taken in work.pipes)
            )
    total = sum(slots.values())
    ranked = sorted(slots.items(), key=lambda item: -item[1])
    return {kind: taken / total for kind, taken in ranked if taken > 0}


def _kind(instruction: Instruction, pipe: Pipe, spaces: Mapping[Instruction, str]) -> str:
    if pipe is Pipe.LSU:
        return "shared" if "shared" in instruction.modifiers else spaces.get(instruction, "global")
    return _PIPES[pipe]


def _is_tensor(instruction: Instruction) -> bool:
    if instruction.base == "wmma":
        return "mma" in instruction.modifiers
    return instruction.base in _TENSOR
