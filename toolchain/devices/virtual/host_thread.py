"""Host code of a candidate on a thread of its own, which is left behind when its kernel has faulted.

What a candidate does with an error code is up to its author: exit, abort, an exception that nobody catches.
Each would end the process before the fault could be told, so after a fault the entry is not returned to.
"""

import threading
from collections.abc import Callable
from typing import NoReturn


class HostThread:
    """One call of host code."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self.abandoned = False
        """Whether the host code was left where it was."""

    def run(self, call: Callable[[], object]) -> None:
        """Run `call`, which must not raise, until it returns or is abandoned."""
        thread = threading.Thread(target=self._run, args=(call,), daemon=True)
        thread.start()
        self._over.wait()
        if not self.abandoned:
            thread.join()

    def abandon(self) -> NoReturn:
        """Let `run` return and never go on; for the host code's own thread."""
        self.abandoned = True
        self._over.set()
        while True:
            threading.Event().wait()

    def _run(self, call: Callable[[], object]) -> None:
        try:
            call()
        finally:
            self._over.set()
