"""One question to one role: ask, read the answer, and say once what is wrong with it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from cudamaster.agents.errors import BadReply, Unwritten
from cudamaster.agents.models.model import CUT_OFF, REFUSED, Model, Reply, Request, Turn
from cudamaster.agents.prompts import Prompt
from cudamaster.agents.replies import LONGEST_SOURCE
from cudamaster.agents.role import Role

T = TypeVar("T")
ASKS = 2
"""How often one question is asked: anew once, with what was wrong."""


@dataclass(frozen=True, slots=True)
class Voice:
    """A role and the model that speaks for it."""

    role: Role
    model: Model
    max_output_tokens: int

    def answer(self, prompt: Prompt, read: Callable[[str], T]) -> T:
        """What `read` makes of the answer. Raises Unwritten, ModelMisused, ModelUnavailable."""
        turns = [Turn("user", prompt.task)]
        for asked in range(1, ASKS + 1):
            reply = self.model.ask(
                Request(self.role.name, prompt.system, tuple(turns), self.max_output_tokens, self.role.schema)
            )
            try:
                return read(self._whole(reply))
            except BadReply as fault:
                if asked == ASKS:
                    raise Unwritten(
                        f"the {self.role.name}'s answer cannot be used: {fault}", reply.text
                    ) from fault
                said = reply.text[:LONGEST_SOURCE] or "(nothing)"
                turns += [Turn("assistant", said), Turn("user", _again(fault))]
        raise AssertionError("asked at least once")

    def _whole(self, reply: Reply) -> str:
        if reply.ending == REFUSED:
            raise Unwritten(f"the {self.role.name}'s model declined to answer", reply.text)
        if reply.ending == CUT_OFF:
            raise BadReply(f"it was cut off at {self.max_output_tokens} tokens; be shorter")
        return reply.text


def _again(fault: BadReply) -> str:
    return f"That answer cannot be used: {fault}. Answer again, in the form asked for and nothing else."
