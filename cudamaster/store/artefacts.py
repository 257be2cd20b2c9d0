"""Kernel sources of a run, each a file named by the hash of its bytes."""

import hashlib
from pathlib import Path

from cudamaster.errors import BrokenStore
from cudamaster.store.atomic import write_atomically

MEND = "put it back from a copy, or start a new run"


class Artefacts:
    """Sources in, hashes out, and back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, source: str) -> str:
        """Store `source` and return its SHA-256, hexadecimal."""
        digest = hashlib.sha256(source.encode()).hexdigest()
        if not self.path(digest).exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self.path(digest), source.encode())
        return digest

    def read(self, digest: str) -> str:
        """The source of this hash. Raises BrokenStore where it is missing or was changed."""
        path = self.path(digest)
        if not path.exists():
            raise BrokenStore(f"{path} is missing, and the run's journal needs it: {MEND}")
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise BrokenStore(f"{path} was changed, so that its name is not its hash: {MEND}")
        return content.decode()

    def path(self, digest: str) -> Path:
        """Where the source of this hash lies."""
        return self.folder / f"{digest}.cu"
