"""The `cudamaster` command; each sub-command is a file of this folder, imported when it is asked for."""

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

INTERRUPTED = 130
BLAS_THREADS = "OPENBLAS_NUM_THREADS"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code.

    Ctrl-C while the program is still being loaded ends it at once, and one that comes after the work is done
    changes nothing.
    """
    share_processors()
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
    if code == INTERRUPTED:
        leave(code)
    sys.exit(code)


def leave(code: int) -> None:
    """End now: threads that still work at what nobody wants any more would be waited for otherwise."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or led nowhere
            stream.flush()
    os._exit(code)


def share_processors() -> None:
    """Leave half of the processors to what runs beside NumPy, unless the user says how many it may have.

    Its matrix products wait busily for each other's threads: in vain while kernels run on the same ones.
    """
    half = max(1, len(os.sched_getaffinity(0)) // 2)
    os.environ.setdefault(BLAS_THREADS, str(half))
