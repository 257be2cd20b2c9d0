"""Files that are there whole or not at all, and folders that one process holds at a time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from cudamaster.errors import FolderUnwritable


def write_atomically(path: Path, content: bytes) -> None:
    """Replace `path` by `content`: readers see the old bytes or the new, also after a power cut."""
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).chmod(0o644)
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def held(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold `folder` against other processes. Raises BlockingIOError where it is held and `wait` is false.

    The lock is on the folder itself, so nothing is left behind and a killed holder lets go.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)


def is_held(folder: Path) -> bool:
    """Whether some process holds `folder` now; asking does not hold it longer than the question takes."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


PROBE_BYTES = 4096
PROBES = 100
"""Tries: another process that proves the same folder may take it away meanwhile."""


def require_writable(
    folder: Path, what: str, mend: str, *, by_option: bool = True, leave: bool = True
) -> None:
    """Make `folder` and prove that a file with content can be written there.

    Raises FolderUnwritable; `by_option` says whether the user named the folder with an option, `leave`
    whether it is to stay where it was missing.
    """
    missing = [] if leave else missing_of(folder)
    try:
        _probe(folder)
    except OSError as cause:
        raise FolderUnwritable(
            f"cannot write the {what} folder {folder} ({cause.strerror}): {mend}", by_option=by_option
        ) from cause
    finally:
        for made in missing:
            with suppress(OSError):  # another process has put something there
                made.rmdir()


def missing_of(folder: Path) -> list[Path]:
    """What is to be made for `folder` to be there, itself first."""
    return [path for path in (folder, *folder.parents) if not path.exists()]


def _probe(folder: Path) -> None:
    for others_may_come in reversed(range(PROBES)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=folder, prefix=".probe.") as probe:
                probe.write(bytes(PROBE_BYTES))
                probe.flush()
            return
        except (FileNotFoundError, FileExistsError):  # FileExistsError: it went while it was looked at
            if not others_may_come:
                raise
