"""The folder where compiled things are kept between runs, and how they appear in it whole or not at all.

Everything in it can be deleted at any time; it is only ever slower afterwards.
"""

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.user_folders import user_folder

VARIABLE = "CUDAMASTER_CACHE_DIR"
FULL = (errno.ENOSPC, errno.EDQUOT)
STALE_SECONDS = 3600.0
"""Age from which an unpublished folder is taken to be the remains of a killed process."""


def cache_folder() -> Path:
    """The cache's root, created: `CUDAMASTER_CACHE_DIR` where set, else the user's cache folder.

    Raises EnvironmentLacks where it cannot be made.
    """
    folder = _root()
    with _creating():
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def require_room(folder: Path, needed_bytes: int) -> None:
    """Raises EnvironmentLacks where the file system of `folder`, in the cache, has less room than needed."""
    system = os.statvfs(folder)
    free = system.f_bavail * system.f_frsize
    if free < needed_bytes or (system.f_files and not system.f_favail):
        raise EnvironmentLacks(_full(f"{free >> 20} MiB of the {needed_bytes >> 20} MiB needed are free"))


def _root() -> Path:
    if setting := os.environ.get(VARIABLE):
        return Path(setting).absolute()
    return user_folder("cache")


def _full(detail: str) -> str:
    return (
        f"the cache folder {_root()} is full: {detail}; make room on its file system, or set {VARIABLE} "
        "to a folder with more"
    )


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    """Raises EnvironmentLacks where the block finds no room to write."""
    try:
        yield
    except OSError as failure:
        if failure.errno not in FULL:
            raise
        raise EnvironmentLacks(_full(str(failure.strerror))) from failure


@contextlib.contextmanager
def _creating() -> Iterator[None]:
    """Raises EnvironmentLacks where the block cannot make a folder or a file of the cache."""
    try:
        with _writing():
            yield
    except OSError as failure:
        words = f"the cache folder {_root()} cannot be used: {failure.strerror}"
        raise EnvironmentLacks(f"{words}; set {VARIABLE} to a folder that can be written") from failure


@contextlib.contextmanager
def private_folder() -> Iterator[Path]:
    """An empty folder on the cache's file system, readable by its owner only and removed afterwards.

    Raises EnvironmentLacks where it cannot be made, or where the block finds no room to write.
    """
    parent = cache_folder() / "unpublished"
    with _creating():
        parent.mkdir(exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=parent))
    try:
        with _writing():
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish_folder(final: Path, fill: Callable[[Path], None]) -> Path:
    """Make `final` appear at once with what `fill` writes into an empty folder; the first writer wins.

    `final` lies in the cache. Readers see nothing or the complete folder, whatever process dies when.
    """
    with private_folder() as folder:
        filled = folder / "filled"
        filled.mkdir()
        fill(filled)
        final.parent.mkdir(parents=True, exist_ok=True)
        try:
            filled.rename(final)
        except OSError:
            if not final.is_dir():
                raise
    return final


def publish_file(final: Path, content: bytes) -> Path:
    """Make `final` appear at once with `content`, replacing an older file.

    Raises EnvironmentLacks where there is no room, OSError where the folder cannot be written.
    """
    with _writing():
        return _publish_file(final, content)


def _publish_file(final: Path, content: bytes) -> Path:
    final.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=final.parent, prefix=".unpublished-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(temporary).replace(final)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return final


@contextlib.contextmanager
def held(key: str) -> Iterator[None]:
    """Hold the lock of `key` against every other thread and process that uses this cache.

    Locks are striped by the key's first two characters, and the system drops them when their process dies.
    """
    folder = cache_folder() / "locks"
    with _creating():
        folder.mkdir(exist_ok=True)
        file = (folder / key[:2]).open("w")
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def remove_stale(now: float) -> int:
    """Remove folders that a killed process left unpublished before `now` (seconds since 1970); how many."""
    removed = 0
    for folder in (cache_folder() / "unpublished").glob("*"):
        with contextlib.suppress(FileNotFoundError):
            if now - folder.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
    return removed
