"""The coder: writes the complete `.cu` file that follows a plan."""

from cudamaster.agents.replies import cuda_block
from cudamaster.agents.role import Role


def parse(reply: str) -> str:
    """The source of a reply. Raises BadReply."""
    return cuda_block(reply)


ROLE = Role(
    name="coder",
    gets="the operator, the device, the plan, the kernel to start from, an example and the lessons so far",
    returns="one complete .cu source",
    parse=parse,
)
