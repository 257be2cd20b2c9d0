from pathlib import Path

import pytest

from cudamaster.errors import BrokenStore
from cudamaster.store.artefacts import Artefacts


def test_a_source_comes_back_by_its_hash(tmp_path: Path) -> None:
    artefacts = Artefacts(tmp_path)

    assert artefacts.read(artefacts.keep("// é\n")) == "// é\n"


def test_a_changed_source_is_noticed(tmp_path: Path) -> None:
    artefacts = Artefacts(tmp_path)
    digest = artefacts.keep("a")
    artefacts.path(digest).write_text("b")

    with pytest.raises(BrokenStore, match="was changed"):
        artefacts.read(digest)


def test_a_missing_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(BrokenStore, match=r"00\.cu is missing"):
        Artefacts(tmp_path).read("00")
