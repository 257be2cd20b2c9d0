"""The files that CONTRIBUTING.md shows, so that they are tested as they stand there."""

import re
from pathlib import Path

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()


def shown(name: str) -> str:
    """The code block whose first line names the file `name` in a comment, without that line."""
    blocks = re.findall(r"```\w*\n(?:#|//) (\S+)\n(.*?)```", TEXT, re.DOTALL)
    return dict(blocks)[name]
