"""The `cudamaster` command; each sub-command is a file of this folder, imported when it is asked for."""

import os
import signal
import sys
from collections.abc import Sequence

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code.

    Ctrl-C while the program is still being loaded ends it at once, and one that comes after the work is done
    changes nothing.
    """
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))  # there is nothing to clean up yet
    from cudamaster.cli.boundary import exit_code_of
    from cudamaster.cli.streams import watch_streams

    watch_streams()
    code = INTERRUPTED
    try:
        signal.signal(signal.SIGINT, usual)
        code = exit_code_of(sys.argv[1:] if arguments is None else list(arguments))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)
