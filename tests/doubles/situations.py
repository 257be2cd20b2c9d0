"""Situations of a run that never ran: attempts with made-up verdicts and profiles on a real operator."""

from collections.abc import Mapping

from cudamaster.agents.nouns import Attempt, Plan, Situation
from cudamaster.toolchain.profile import HotLine, KernelProfile, Launch, Profile
from cudamaster.toolchain.spec import DeviceSpec
from cudamaster.toolchain.timing import Clock
from mskernelbench.catalog import find_operator
from mskernelbench.evaluation import Evaluation, Interval, Status, WorkloadResult
from mskernelbench.operator import Precision

BASELINE_PLAN = Plan("baseline", "none", "it is what the others are compared with")


def device(shared_bytes_per_block: int = 232_448) -> DeviceSpec:
    """A large GPU with round numbers."""
    return DeviceSpec(
        name="example",
        title="Example GPU",
        architecture="sm_90a",
        sm_count=132,
        clock_hz=1.9e9,
        fp32_flops=64e12,
        bf16_tensor_flops=1e15,
        tf32_tensor_flops=0.5e15,
        fp64_flops=32e12,
        dram_bytes_per_s=4.8e12,
        l2_bytes_per_s=5.5e12,
        dram_bytes=141 * 10**9,
        l2_bytes=50 * 2**20,
        shared_bytes_per_sm=228 * 1024,
        shared_bytes_per_block=shared_bytes_per_block,
        registers_per_sm=65536,
        warps_per_sm=64,
        blocks_per_sm=32,
    )


def profile(
    bound: str = "memory", metrics: Mapping[str, float] | None = None, time_ms: float = 1.0
) -> Profile:
    """One kernel with these metrics."""
    kernel = KernelProfile(
        name="example_kernel",
        launch=Launch((64, 1, 1), (256, 1, 1), 0),
        launches=1,
        time_ms=time_ms,
        metrics=metrics if metrics is not None else {"dram_throughput": 40.0, "fma_pipe_utilisation": 12.0},
        bound=bound,
        bound_by="L1 busy 91 % of the time; next DRAM busy 40 % of the time",
        hot_lines=(HotLine(12, 0.8, "global loads, 32 sectors/request"),),
    )
    return Profile(Clock.MODELLED, (kernel,))


def evaluation(
    status: Status = Status.CORRECT, speedup: float = 1.0, reason: str = "as the test says"
) -> Evaluation:
    """A verdict; the speedup counts only for a correct candidate."""
    correct = status is Status.CORRECT
    row = WorkloadResult("check", {"N": 7}, error_ratio=0.5 if correct else 3.5)
    return Evaluation(
        operator="example",
        precision="fp32",
        entry="example",
        device="virtual:example",
        clock="modelled",
        status=status,
        reason=reason,
        seed=0,
        guard="no_clocks" if status is Status.CHEATED else None,
        speedup=Interval(speedup, speedup * 0.99, speedup * 1.01) if correct else None,
        attainment=0.25 if correct else None,
        workloads=(row,),
    )


def attempt(
    number: int,
    plan: Plan = BASELINE_PLAN,
    *,
    verdict: Evaluation | None = None,
    reward: float = 0.0,
    source: str | None = None,
    seen: Profile | None = None,
) -> Attempt:
    """One candidate; its source is unique unless given."""
    return Attempt(
        number=number,
        round=1,
        plan=plan,
        source=source or f"// source {number}\nint line_{number};\n",
        evaluation=verdict or evaluation(),
        reward=reward,
        profile=seen,
        lesson=f"lesson of attempt {number}" if number else "",
    )


def situation(
    operator: str = "matrix_mul",
    precision: Precision = Precision.FP32,
    history: tuple[Attempt, ...] = (),
    *,
    spec: DeviceSpec | None = None,
    baseline_profile: Profile | None = None,
) -> Situation:
    """The state of a run on `operator`."""
    found = find_operator(operator)[0]
    return Situation(
        operator=found,
        precision=precision,
        entry=found.entry_symbol(precision),
        spec=spec or device(),
        baseline=attempt(0, seen=baseline_profile or profile()),
        history=history,
        round=2 if history else 1,
    )
