"""The workloads a user gives in place of an operator's sets: shapes, and matrices from files."""

from collections.abc import Sequence
from pathlib import Path

from cudamaster.search.settings import Settings
from mskernelbench.operator import Operator, Workload
from mskernelbench.shapes import parse_shape


def user_workloads(
    operator: Operator, shapes: Sequence[str], matrices: Sequence[str | Path]
) -> list[Workload]:
    """The set `user`: one workload a shape such as `M=64,N=8`, one a Matrix Market file. Raises BadShape."""
    from mskernelbench.matrix_market import matrix_workload

    given = [parse_shape(operator, text) for text in shapes]
    return given + [matrix_workload(operator, Path(path)) for path in matrices]


def workloads_timed(operator: Operator, settings: Settings) -> int:
    """Workloads that a run's last verdict times: the user's own, else all but the check set."""
    if settings.on_own_workloads:
        return len(settings.shapes) + len(settings.matrices)
    return sum(workload.set != "check" for workload in operator.workloads)
