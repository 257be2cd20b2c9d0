"""Keeps finished builds by content: the same source, flags and compiler are compiled once on a machine."""

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from cudamaster.toolchain.build import Build, Diagnostic, KernelResources
from cudamaster.toolchain.cache import cache_folder, publish_folder
from cudamaster.toolchain.kernel import KernelSource

COMMAND_VERSION = 1
"""Raised whenever the same source would build to something else with the same compiler."""
FILES = {"library": "kernel.so", "ptx": "kernel.ptx", "host_object": "kernel.o"}
RECORD = "build.json"


def build_key(source: KernelSource, architecture: str, flags: Sequence[str], fingerprint: str) -> str:
    """Hash of all that a build depends on, hexadecimal."""
    parts = [
        COMMAND_VERSION,
        source.text,
        source.entry,
        source.filename,
        architecture,
        list(flags),
        fingerprint,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def build_folder(key: str) -> Path:
    """Where the build of this key is, or would be."""
    return cache_folder() / "builds" / key[:2] / key


def load_build(key: str, source: KernelSource) -> Build | None:
    """The stored build of `source`, or None. Remains that cannot be read are removed."""
    folder = build_folder(key)
    try:
        record: dict[str, Any] = json.loads((folder / RECORD).read_text())
        return _from_record(record, key, source, folder)
    except FileNotFoundError:
        if not folder.is_dir():
            return None
    except (ValueError, KeyError, TypeError):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    return None


def store_build(build: Build, made: Path) -> Build:
    """Keep `build`, whose files lie in the folder `made`, and return it with its files' final places."""

    def fill(folder: Path) -> None:
        if build.ok:
            for name in FILES.values():
                shutil.copyfile(made / name, folder / name)
        record = {
            "architecture": build.architecture,
            "ok": build.ok,
            "diagnostics": [asdict(d) for d in build.diagnostics],
            "resources": [asdict(r) for r in build.resources],
            "log": build.log,
            "seconds": build.seconds,
        }
        (folder / RECORD).write_text(json.dumps(record))

    folder = publish_folder(build_folder(build.key), fill)
    return replace(build, **_files(folder)) if build.ok else build


def _files(folder: Path) -> dict[str, Any]:
    return {field: folder / name for field, name in FILES.items()}


def _from_record(record: dict[str, Any], key: str, source: KernelSource, folder: Path) -> Build:
    files: dict[str, Any] = _files(folder) if record["ok"] else dict.fromkeys(FILES)
    if not all(path is None or path.is_file() for path in files.values()):
        raise ValueError("a file of the build is missing")
    return Build(
        source=source,
        key=key,
        architecture=record["architecture"],
        resources=tuple(KernelResources(**r) for r in record["resources"]),
        diagnostics=tuple(Diagnostic(**d) for d in record["diagnostics"]),
        log=record["log"],
        seconds=record["seconds"],
        cached=True,
        **files,
    )
