"""What is raised where our own baseline does not end in time: this machine's fault, and for now."""

from cudamaster.toolchain.crowd import load_words
from mskernelbench.errors import BaselineLate


def late(told: str) -> BaselineLate:
    """The exception that says how busy this machine is."""
    return BaselineLate(
        f"{told}: this machine is too slow for it now ({load_words()}); try again when less else runs"
    )
