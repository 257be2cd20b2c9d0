"""The `cudamaster` command; each sub-command is a file of this folder, imported when it is asked for."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    from cudamaster.cli.boundary import exit_code_of

    sys.exit(exit_code_of(sys.argv[1:] if arguments is None else list(arguments)))
