"""Symbols of a shared library that the host's own compiler made."""

import subprocess
from pathlib import Path

import pytest

from cudamaster.toolchain.elf import exported_functions, undefined_symbols


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("elf")
    source = folder / "a.c"
    source.write_text("int value; int puts(const char *); static void hidden(void) {}\n"
                      "int shown(void) { hidden(); return puts(\"x\"); }\n")  # fmt: skip
    made = folder / "a.so"
    subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(made)], check=True)
    return made


def test_functions_defined_for_others_are_exported_and_variables_are_no_functions(library: Path) -> None:
    exported = exported_functions(library)
    assert "shown" in exported
    assert not exported & {"hidden", "value", "puts"}


def test_what_others_must_define_is_undefined(library: Path) -> None:
    assert "puts" in undefined_symbols(library)
    assert "shown" not in undefined_symbols(library)


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no ELF")
    with pytest.raises(ValueError, match="no 64-bit"):
        exported_functions(tmp_path / "text")
