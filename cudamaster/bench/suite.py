"""Many tasks at once, within a bound; one that needs much memory never beside another such."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from cudamaster.bench.score import TaskStatus
from cudamaster.bench.task import Workplace, work_on
from cudamaster.report.document import Json
from cudamaster.search.settings import Settings
from mskernelbench.operator import Operator
from mskernelbench.suite import is_large


@dataclass(frozen=True, slots=True)
class Task:
    """One operator at one precision, and how it is searched."""

    operator: Operator
    settings: Settings
    large: Lock = field(repr=False)
    """Shared by all tasks of a suite."""

    def work(self, place: Workplace) -> Json | None:
        """The task's row; None where the suite was stopped before it was begun."""
        alone: AbstractContextManager[Any] = self.large if is_large(self.operator) else nullcontext()
        with alone:
            return None if place.stop.is_set() else work_on(self.settings, place)


def work_on_all(tasks: Sequence[Task], place: Workplace, jobs: int) -> Iterator[Json]:
    """The row of each task, as soon as it is known.

    Raises what hinders all tasks, such as a full disk; those under way are stopped then.
    """
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(task.work, place) for task in tasks]
        try:
            for future in as_completed(futures):
                row = future.result()
                if row is not None:
                    yield row
        except BaseException:
            place.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def left_to_do(tasks: Sequence[Task], place: Workplace) -> list[Task]:
    """Those whose rows are not done."""
    rows = ((task, place.file.row((task.settings.operator, task.settings.precision))) for task in tasks)
    return [task for task, row in rows if not TaskStatus(row["status"]).done]
