"""Work done before it is asked for, on another processor."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from cudamaster.toolchain.errors import ToolchainError
from cudamaster.toolchain.outputs import RunFailure
from mskernelbench.errors import BenchmarkError

Job = Callable[[], object]
"""Makes what somebody keeps until it is asked for."""


@contextmanager
def ahead(jobs: Iterable[Job]) -> Iterator[None]:
    """Do the `jobs` one after the other while the block runs; what is left then is left.

    What goes wrong ends them: it goes wrong again, and is told, when the result is asked for.
    """
    stop = Event()

    def work() -> None:
        with suppress(BenchmarkError, ToolchainError):
            for job in jobs:
                if stop.is_set() or isinstance(job(), RunFailure):
                    return

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
