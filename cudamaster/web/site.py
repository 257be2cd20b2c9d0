"""The folder of a site: written whole, and put in the place of an older site in one step."""

import ctypes
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp

from cudamaster.errors import FolderUnwritable, UsageError

MARK = "site.json"
SCHEMA = "cudamaster.site/1"
AT_FDCWD = -100
RENAME_EXCHANGE = 2


def write_site(out: Path, files: Mapping[str, bytes]) -> None:
    """Make the folder `out` hold exactly these files, and a list of them.

    Whoever reads it sees the old site or the new one. Raises UsageError where `out` holds anything that is
    not of a site of ours, FolderUnwritable where it cannot be written.
    """
    out = resolved(out)
    require_replaceable(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        made = Path(mkdtemp(dir=out.parent, prefix=f".{out.name}."))
        try:
            _fill(made, files)
            _put(made, out)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as cause:
        raise FolderUnwritable(
            f"cannot write the site folder {out} ({cause.strerror}): give another --out"
        ) from cause


def resolved(out: Path) -> Path:
    """The folder that `out` leads to. Raises UsageError where it leads nowhere."""
    try:
        return out.resolve()
    except RuntimeError as cause:
        raise UsageError(f"{out} is a link to itself: give a folder with --out") from cause


def require_replaceable(out: Path) -> None:
    """Raise UsageError unless `out` is missing, empty, or a site of ours that nothing was put into."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file: give a folder with --out")
    present = _files_in(out)
    strange = sorted(present - _listed(out))
    if strange:
        raise UsageError(
            f"{out} is not empty, and {strange[0]} in it is not of a site of ours: give an empty folder with "
            "--out, or clear this one"
        )


def _files_in(out: Path) -> set[str]:
    """Paths of all files below a folder; none where it is missing."""
    return {
        path.relative_to(out).as_posix() for path in out.rglob("*") if not path.is_dir() or path.is_symlink()
    }


def _listed(out: Path) -> set[str]:
    """What the site in `out` says that it holds; nothing where there is none."""
    try:
        mark = json.loads((out / MARK).read_text())
    except (OSError, ValueError, RecursionError):
        return set()
    if not isinstance(mark, dict) or mark.get("schema") != SCHEMA or not isinstance(mark.get("files"), list):
        return set()
    return {str(name) for name in mark["files"]} | {MARK}


def _fill(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    mark = {"schema": SCHEMA, "files": sorted(files)}
    (folder / MARK).write_text(json.dumps(mark, indent=1) + "\n")
    folder.chmod(0o755)


def _put(made: Path, out: Path) -> None:
    """Put the new folder in its place; `made` then names the old one."""
    if not out.exists():
        made.rename(out)
    elif not any(out.iterdir()):
        made.replace(out)
    else:
        _exchange(made, out)


def _exchange(one: Path, other: Path) -> None:
    """Let two folders change names in one step; in several where the file system knows no such step."""
    libc = ctypes.CDLL(None, use_errno=True)
    names = (os.fsencode(one), os.fsencode(other))
    if libc.renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE) != 0:
        exchange_in_steps(one, other)


def exchange_in_steps(one: Path, other: Path) -> None:
    """Let two folders change names; should the last step fail, the first is taken back."""
    aside = one.with_name(f"{one.name}.old")
    other.rename(aside)
    try:
        one.rename(other)
    except OSError:
        aside.rename(other)
        raise
    aside.rename(one)
