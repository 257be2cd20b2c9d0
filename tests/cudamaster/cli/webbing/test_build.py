"""`cudamaster web build`."""

from pathlib import Path

import pytest

from cudamaster.cli.boundary import exit_code_of
from tests.doubles.stored_kernel import store

Output = pytest.CaptureFixture[str]


def test_a_site_is_written_and_its_first_page_named(tmp_path: Path, capsys: Output) -> None:
    store(tmp_path / "results")
    code = exit_code_of(
        ["web", "build", "--out", str(tmp_path / "site"), "--results", str(tmp_path / "results")]
    )

    said = capsys.readouterr().out
    assert code == 0
    assert said.startswith(f"{tmp_path / 'site' / 'index.html'} and 5 other files, ")
    assert (tmp_path / "site/virtual-h200/vector_add/fp32/index.html").is_file()


def test_a_folder_that_is_not_empty_is_refused_in_one_sentence(tmp_path: Path, capsys: Output) -> None:
    store(tmp_path / "results")
    code = exit_code_of(["web", "build", "--out", str(tmp_path), "--results", str(tmp_path / "results")])

    assert code == 2
    assert capsys.readouterr().err.splitlines() == [
        f"cudamaster: {tmp_path} is not empty, and results/virtual-h200/vector_add/fp32/kernel.cu in it is "
        "not of a site of ours: give an empty folder with --out, or clear this one"
    ]


def test_results_without_a_kernel_are_refused(tmp_path: Path, capsys: Output) -> None:
    code = exit_code_of(["web", "build", "--out", str(tmp_path / "site"), "--results", str(tmp_path)])

    assert code == 2
    assert "holds no stored kernels" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()
