"""Which source lines the modelled time goes to, and why, in words."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping

from cudamaster.toolchain.devices.virtual.cost.counting import ideal_wavefronts
from cudamaster.toolchain.devices.virtual.cost.demand import FAMILIES
from cudamaster.toolchain.devices.virtual.cost.model import ModelledLaunch
from cudamaster.toolchain.devices.virtual.cost.sites import CountedSite
from cudamaster.toolchain.devices.virtual.cost.work import Pipe, work_of
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction
from cudamaster.toolchain.profile import HotLine

_LEAST_SHARE = 0.02
_PIPE_WORDS = {
    Pipe.FMA: "FP32 arithmetic", Pipe.IMAD: "integer multiplication", Pipe.HALF: "half-precision arithmetic",
    Pipe.ALU: "integer, logic and comparison instructions", Pipe.XU: "special functions and conversions",
    Pipe.FP64: "double-precision arithmetic",
}  # fmt: skip
_KIND_WORDS = {
    "load": "loads",
    "store": "stores",
    "atomic": "atomics",
    "ldmatrix": "matrix loads",
    "async_copy": "asynchronous copies",
}


def hot_lines(modelled: ModelledLaunch, files: Collection[int] | None, limit: int = 8) -> tuple[HotLine, ...]:
    """The lines of the candidate that cost most, the dearest first.

    `files` are the candidate's file numbers in the PTX; None takes the commonest one.
    """
    shares = instruction_shares(modelled)
    own = files if files is not None else _commonest_file(shares)
    by_line: defaultdict[int, dict[Instruction, float]] = defaultdict(dict)
    for instruction, share in shares.items():
        if instruction.source is not None and instruction.source.file in own and instruction.source.line > 0:
            by_line[instruction.source.line][instruction] = share
    lines = [
        HotLine(line, sum(costs.values()), _why(modelled, costs))
        for line, costs in by_line.items()
        if sum(costs.values()) >= _LEAST_SHARE
    ]
    return tuple(sorted(lines, key=lambda hot: (-hot.share, hot.line))[:limit])


def instruction_shares(modelled: ModelledLaunch) -> dict[Instruction, float]:
    """Share of the time by instruction: its part of each family's busiest resource, weighted."""
    shares: defaultdict[Instruction, float] = defaultdict(float)
    for family in FAMILIES:
        costs = _costs(modelled, modelled.duration.binding(family))
        total = sum(costs.values())
        for instruction, cycles in costs.items():
            if total:
                shares[instruction] += modelled.duration.weights[family] * cycles / total
    return dict(shares)


def _costs(modelled: ModelledLaunch, resource: str) -> Mapping[Instruction, float]:
    if resource == "latency":
        return modelled.latency.by_instruction
    return {i: cycles.get(resource, 0.0) for i, cycles in modelled.demand.by_instruction.items()}


def _commonest_file(shares: Mapping[Instruction, float]) -> set[int]:
    counted = Counter(i.source.file for i in shares if i.source is not None)
    return {counted.most_common(1)[0][0]} if counted else set()


def _why(modelled: ModelledLaunch, costs: Mapping[Instruction, float]) -> str:
    """Words for what costs most on a line, and for its second cost where that is a quarter of it or more."""
    words: Counter[str] = Counter()
    for instruction, share in costs.items():
        words[_describe(modelled, instruction)] += share  # type: ignore[assignment]
    (first, most), *rest = words.most_common(2)
    return f"{first}; {rest[0][0]}" if rest and rest[0][1] >= most / 4 else first


def _describe(modelled: ModelledLaunch, instruction: Instruction) -> str:
    for site in modelled.subject.sites:
        if site.instruction is instruction:
            return _describe_access(site)
    if instruction in modelled.subject.constants:
        load = modelled.subject.constants[instruction]
        return f"constant loads, {load.addresses / load.requests:.1f} addresses/request"
    if instruction.base in ("bar", "barrier"):
        return "waits at a barrier"
    if instruction.base in ("mma", "wmma", "wgmma"):
        return "tensor-core arithmetic"
    if instruction.base == "shfl":
        return "warp shuffles"
    pipes = work_of(instruction.opcode).pipes
    return _PIPE_WORDS.get(pipes[0][0], "memory instructions") if pipes else "branches and control"


def _describe_access(site: CountedSite) -> str:
    kind = _KIND_WORDS.get(site.kind, site.kind)
    if site.space == "shared":
        ways = site.sectors / ideal_wavefronts(site)
        return f"shared {kind}" + (f", {ways:.1f}-way bank conflicts" if ways > 1.2 else "")
    if site.kind == "atomic":
        return f"{site.space} {kind}, {site.lanes / site.requests:.1f} lanes/request"
    return f"{site.space} {kind}, {site.sectors / site.requests:.1f} sectors/request"
