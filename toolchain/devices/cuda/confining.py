"""Whether one of NVIDIA's tools works on a process that confines itself: tried on a kernel of our own.

Nobody can know that before the tool is there, and no candidate can be asked: one might fail on purpose.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build

T = TypeVar("T")
OwnCall = Callable[[], tuple[Build, Arguments]]


class Confining(Generic[T]):
    """Has a tool watch calls, their processes confined unless it does not work that way.

    `attempt` makes one call, confined or not; `worked` and `hopeless` say of what it gives whether the tool
    did its work, and whether it would not either way; `own_call` is one that cannot be wrong.
    """

    def __init__(
        self,
        attempt: Callable[[Build, Arguments, bool], T],
        worked: Callable[[T], bool],
        hopeless: Callable[[T], bool],
        own_call: OwnCall,
    ) -> None:
        self._attempt, self._worked, self._hopeless, self._own_call = attempt, worked, hopeless, own_call
        self.confined: bool | None = None
        """None as long as it is not known whether the tool works that way."""

    def watch(self, build: Build, arguments: Arguments) -> T:
        """What the tool gives of this call."""
        found = self._attempt(build, arguments, self.confined is not False)
        if self.confined is not None or self._hopeless(found):
            return found
        self.confined = self._worked(found) or self._worked(self._attempt(*self._own_call(), True))
        return found if self.confined else self._attempt(build, arguments, False)
