"""The debugger: called only on a refusal, mends a source from the compiler's or the referee's words."""

import re

from cudamaster.agents.replies import cuda_block
from cudamaster.agents.role import Role

GIVE_UP = re.compile(r"^\s*GIVE UP:\s*\S", re.MULTILINE)


def parse(reply: str) -> str | None:
    """The mended source, or None where the reply gives the candidate up. Raises BadReply."""
    if "```" not in reply and GIVE_UP.search(reply):
        return None
    return cuda_block(reply)


ROLE = Role(
    name="debugger",
    gets="the operator, the device, the plan, the refused source and the referee's verdict",
    returns="one complete mended .cu source, or `GIVE UP: reason`",
    parse=parse,
)
