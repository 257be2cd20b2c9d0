"""The scripts beside the docs as modules, and the results they read."""

import importlib.util
import io
import subprocess
import tarfile
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def script(name: str) -> ModuleType:
    """`docs/<name>.py`."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stored_results(folder: Path) -> list[Path]:
    """`results/` as it lies here, and as it was committed where that differs: runs store theirs here.

    The committed one is unpacked into `folder`.
    """
    here = ROOT / "results"
    git = ["git", "-C", str(ROOT)]
    changed = subprocess.run([*git, "status", "--porcelain", "results"], capture_output=True, check=False)
    if not changed.stdout.strip():
        return [here]
    packed = subprocess.run([*git, "archive", "HEAD", "results"], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return [here, folder / "results"]
