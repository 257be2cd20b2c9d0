"""The debugger: called only on a refusal, mends a source from the compiler's or the referee's words."""

import re

from cudamaster.agents.replies import cuda_block
from cudamaster.agents.role import Role

GIVE_UP = re.compile(r"^\s*GIVE UP:\s*\S", re.MULTILINE)


def gives_up(reply: str) -> bool:
    """Whether the reply gives the candidate up."""
    return "```" not in reply and GIVE_UP.search(reply) is not None


def parse(reply: str) -> str | None:
    """The whole mended source, or None where the reply gives the candidate up. Raises BadReply."""
    return None if gives_up(reply) else cuda_block(reply)


ROLE = Role(
    name="debugger",
    gets="the operator, the device, the plan, the refused source and the referee's verdict",
    returns="one complete mended .cu source, or `GIVE UP: reason`",
    parse=parse,
)
