"""What a run stands on: a compiler that works, and a baseline that is right. Without them it stops."""

from collections.abc import Sequence

from cudamaster.search.context import Context
from cudamaster.toolchain.errors import EnvironmentLacks
from mskernelbench.errors import BadOperator, BaselineBroken
from mskernelbench.evaluation import Evaluation, Status
from mskernelbench.lateness import late

AGAIN = "\n// compiled once more\n"
"""Makes the baseline another source, which no cache has an earlier build of."""


def require_right_baseline(context: Context, verdict: Evaluation) -> None:
    """Raise where the baseline is refused, with which nothing could be compared then.

    BadOperator for a user's own, EnvironmentLacks where ours does not build, BaselineLate where it takes
    too long, else BaselineBroken.
    """
    operator, precision = context.operator, context.precision
    if verdict.correct:
        return
    if context.settings.own_operators:
        raise BadOperator(
            f"{operator.baseline_file(precision)}, the baseline of {operator.name}, is {verdict.status}: "
            f"{verdict.reason}; mend it, or its spec"
        )
    if verdict.status is Status.BUILD_FAILED:
        raise _compiler_at_fault(context, verdict)
    told = (
        f"our baseline of {operator.name} is {verdict.status} on {context.settings.device}: {verdict.reason}"
    )
    raise late(told) if verdict.status is Status.TIMED_OUT else BaselineBroken(told)


def require_compiler(context: Context, verdicts: Sequence[Evaluation]) -> None:
    """Raise EnvironmentLacks where none of a round's candidates builds, nor the baseline any more."""
    if any(verdict.rule != "compiler" for verdict in verdicts) or not verdicts:
        return
    again = context.judge.quick(context.judge.baseline() + AGAIN)
    if again.status is Status.BUILD_FAILED:
        raise _compiler_at_fault(context, again)


def _compiler_at_fault(context: Context, verdict: Evaluation) -> EnvironmentLacks:
    return EnvironmentLacks(
        f"not even the baseline of {context.operator.name} builds ({verdict.reason.rstrip('.')}), so that "
        "the compiler or this machine is at fault: 'cudamaster doctor' tests them, CUDAMASTER_NVCC names "
        "another nvcc; then start a new run"
    )
