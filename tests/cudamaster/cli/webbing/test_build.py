"""`cudamaster web build`."""

from pathlib import Path

import pytest

from cudamaster.cli.boundary import exit_code_of
from tests.doubles.scripted_bench import BenchOpening, arguments
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


def test_a_team_of_a_result_file_stands_on_the_leaderboard(tmp_path: Path, capsys: Output) -> None:
    assert exit_code_of(arguments(tmp_path, operators="relu"), BenchOpening()) == 0
    built = ["web", "build", "--out", str(tmp_path / "site"), "--results", str(tmp_path / "results")]

    assert exit_code_of([*built, str(tmp_path / "bench.json")]) == 0
    index = (tmp_path / "site/index.html").read_text()
    assert "builtin, best stored" in index
    assert "builtin, 3 x 3" in index
    assert "1 of 100" in index
    assert (tmp_path / "site/virtual-h200/relu/fp32/index.html").is_file()

    (tmp_path / "bench.json").write_text((tmp_path / "bench.json").read_text()[:500])
    capsys.readouterr()
    assert exit_code_of([*built, str(tmp_path / "bench.json")]) == 2
    assert "bench.json" in capsys.readouterr().err
