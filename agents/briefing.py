"""What a situation says to a model: the variables of the prompt templates, in words and numbers."""

from typing import Any

from cudamaster.agents.bottleneck import heaviest, telling_metrics
from cudamaster.agents.builtin.catalog import find_strategy, strategies_for
from cudamaster.agents.builtin.rendering import render_for
from cudamaster.agents.builtin.strategy import Strategy
from cudamaster.agents.chronicle import (
    contrasting_pair,
    history_line,
    parent_words,
    prediction_words,
    standing,
)
from cudamaster.agents.nouns import Attempt, Plan, Situation
from cudamaster.agents.wording import shape_words
from cudamaster.toolchain.metrics import METRICS
from cudamaster.toolchain.profile import KernelProfile, Profile
from cudamaster.toolchain.timing import Clock
from mskernelbench.operator import Access, Category, Contract, Kind, Operator, Precision

CONTRACTS = {
    Contract.POISONED: "Output buffers hold garbage before every call: write every element.",
    Contract.ZEROED: "Output buffers hold zeros before every call: add into them, or write every element.",
    Contract.IN_PLACE: "The input is overwritten with the answer; it is restored before every call.",
}
BESIDE = " What is in_place holds its input instead, restored before every call."
EXACT = "Answers must be the exact ones, rounded once to the output's type: nothing but equality passes."
BOUND = (
    "An element that sums n terms may be off by half a unit in the last place of the output and by 8 + 2√n "
    "FP32 roundings (2^-24) of the sum of its terms' magnitudes"
)
ACCURACY = {
    Precision.FP32: f"Answers are compared with float64. {BOUND}: compute in FP32 throughout. TF32, BF16 or "
    "FP16 products fail; fast intrinsics (`__expf`, `__sinf`) do where their error is larger than that.",
    Precision.BF16: f"Answers are compared with float64, computed from the BF16 inputs. {BOUND}: accumulate "
    "in FP32, and round once, on storing. Tensor cores with FP32 accumulators are welcome; BF16 sums fail.",
}
CLOCKS = {
    Clock.MEASURED: "Times are measured.",
    Clock.MODELLED: "Times come from a model of this device that runs the compiled PTX; "
    "differences below 10 % mean little.",
}
KERNELS_SHOWN = 3
HOT_LINES_SHOWN = 5


def brief(
    situation: Situation,
    *,
    plan: Plan | None = None,
    profile: Profile | None = None,
    attempt: Attempt | None = None,
) -> dict[str, Any]:
    """Every variable that the roles' templates name, but for those that only one role has."""
    shown = profile or (attempt.profile if attempt else situation.parent.profile)
    whose = f"attempt {attempt.number}" if attempt else "the kernel to start from"
    return (
        _operator_words(situation.operator, situation.precision)
        | {"entry": situation.entry, "device": situation.spec, "clock_words": _clock_words(situation)}
        | {
            "round": situation.round,
            "standing": standing(situation),
            "parent": parent_words(situation),
            "parent_source": situation.parent.source.rstrip(),
        }
        | {"history": [history_line(a) for a in situation.history]}
        | {"lessons": [a.lesson for a in situation.history if a.lesson], "earlier": list(situation.lessons)}
        | {"pair": contrasting_pair(situation.history)}
        | {"profile": _profile_words(shown, whose), "plan": plan, "attempt": _attempt_words(attempt)}
        | {"strategies": _strategy_words(situation), "example": _example(situation, plan)}
    )


def _operator_words(operator: Operator, precision: Precision) -> dict[str, Any]:
    timed = (w for w in operator.workloads if w.set != "check")
    return {
        "operator": operator,
        "precision": str(precision),
        "signature": f"{operator.c_signature(precision)};",
        "parameters": [
            {
                "name": p.name,
                "words": f"{p.access}, {p.extent}" if p.kind is Kind.TENSOR else f"{p.kind} by value",
            }
            for p in operator.signature
        ],
        "contract": contract_words(operator),
        "accuracy": accuracy_words(operator, precision),
        "sparse": operator.category is Category.SPARSE,
        "timed": [f"{w.set}: {shape_words(w.shape)}{f' ({w.pattern})' if w.pattern else ''}" for w in timed],
    }


def contract_words(operator: Operator) -> str:
    """What outputs hold before every call."""
    mixed = operator.contract is not Contract.IN_PLACE and any(
        p.access is Access.IN_PLACE for p in operator.signature
    )
    return f"{CONTRACTS[operator.contract]}{BESIDE if mixed else ''}"


def accuracy_words(operator: Operator, precision: Precision) -> str:
    """What a right answer is."""
    return EXACT if operator.exact else ACCURACY[precision]


def _clock_words(situation: Situation) -> str:
    profile = situation.baseline.profile
    return CLOCKS[profile.clock] if profile else ""


def _profile_words(profile: Profile | None, whose: str) -> dict[str, Any] | None:
    if profile is None:
        return None
    kernels = sorted(profile.kernels, key=lambda k: k.time_ms, reverse=True)[:KERNELS_SHOWN]
    top = heaviest(profile)
    return {
        "whose": whose,
        "diagnosis": f"{profile.time_ms:.4g} ms. {top.bound_by}" if top else "No kernel ran.",
        "kernels": [_kernel_words(k, profile) for k in kernels],
    }


def _kernel_words(kernel: KernelProfile, profile: Profile) -> dict[str, Any]:
    grid, block = ("x".join(map(str, size)) for size in (kernel.launch.grid, kernel.launch.block))
    shared = kernel.launch.dynamic_shared_bytes
    metrics = ((METRICS[name], value) for name, value in telling_metrics(kernel).items() if name in METRICS)
    return {
        "name": kernel.name,
        "share": f"{kernel.time_ms / profile.time_ms:.0%}" if profile.time_ms else "all",
        "launch": f"grid {grid}, block {block}"
        + (f", {shared} bytes of dynamic shared memory" if shared else ""),
        "bound": kernel.bound,
        "metrics": [{"name": m.name, "value": v, "unit": m.unit, "meaning": m.meaning} for m, v in metrics],
        "hot_lines": kernel.hot_lines[:HOT_LINES_SHOWN],
    }


def _attempt_words(attempt: Attempt | None) -> dict[str, str] | None:
    if attempt is None:
        return None
    return {"line": history_line(attempt), "prediction": prediction_words(attempt.plan)}


def _strategy_words(situation: Situation) -> list[dict[str, str]]:
    """The playbook's strategies for this operator, the most promising for its bound first."""
    return [
        {
            "name": s.name,
            "title": s.title,
            "change": s.change,
            "reason": s.reason,
            "parameters": "; ".join(
                f"{p.name} in {list(p.values)}" for p in s.open_parameters(situation.precision)
            ),
        }
        for s in _ranked(situation)
    ]


def _ranked(situation: Situation) -> list[Strategy]:
    kernel = heaviest(situation.baseline.profile)
    bound, metrics = (kernel.bound, kernel.metrics) if kernel else (None, {})
    known = strategies_for(situation.operator, situation.precision)
    return sorted(known, key=lambda s: s.prior(situation.precision, bound, metrics), reverse=True)


def _example(situation: Situation, plan: Plan | None) -> dict[str, str] | None:
    """The playbook's kernel for the plan's strategy, else for the most promising one."""
    if plan is None:
        return None
    named = find_strategy(plan.strategy, situation.operator, situation.precision)
    strategy = named or next(iter(_ranked(situation)), None)
    if strategy is None:
        return None
    setting = strategy.default(situation.precision, situation.spec)
    if setting is None:
        return None
    return {"title": strategy.title, "source": render_for(situation, strategy, setting).rstrip()}
