"""stdout and stderr of the process: they take any text, and say so where they cannot be written."""

import os
import sys
from contextlib import suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class StreamUnwritable(OSError):
    """stdout or stderr takes no more, as on a full disk; `filename` says which."""


class WatchedFile(FileIO):
    """A stream's descriptor, whose failures are told from those of any other file."""

    def __init__(self, descriptor: int, stream: str) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._stream = stream

    def write(self, content: "ReadableBuffer", /) -> int:
        """As FileIO does. Raises StreamUnwritable; a reader that went away is still BrokenPipeError."""
        try:
            return super().write(content)
        except BrokenPipeError:
            raise
        except OSError as cause:
            raise StreamUnwritable(cause.errno, cause.strerror, self._stream) from None


def watch_streams() -> None:
    """Make stdout and stderr such streams; a character that their encoding lacks becomes `?`."""
    sys.stdout, sys.stderr = (_watched(sys.stdout, "stdout"), _watched(sys.stderr, "stderr"))


def _watched(stream: object, name: str) -> TextIOWrapper:
    """A closed descriptor leaves None in place of the stream, and stays so."""
    if not isinstance(stream, TextIOWrapper):
        return stream  # type: ignore[return-value]
    stream.flush()
    buffer = BufferedWriter(WatchedFile(stream.fileno(), name))
    return TextIOWrapper(buffer, stream.encoding, errors="replace", line_buffering=stream.line_buffering)


def give_up_broken_streams() -> None:
    """Flush both streams; one that cannot be flushed leads nowhere, so that the last flush cannot fail."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
            with suppress(OSError):
                stream.flush()
