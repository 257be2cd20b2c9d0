from dataclasses import replace
from pathlib import Path

import pytest

from cudamaster.cli.keeping import kept_of_run, kept_of_suite, require_place
from cudamaster.errors import FolderUnwritable, UsageError
from cudamaster.search.settings import Settings
from tests.doubles import scripted_run
from tests.doubles.scripted_opening import NamedDevice
from tests.doubles.stored_kernel import store

SETTINGS = scripted_run.settings(Path("/results"))
PLACE = "/results/virtual-h200/matrix_mul/fp32"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (SETTINGS, f"the best kernel in {PLACE} (--no-store: in the run's folder alone"),
        (replace(SETTINGS, store=False), "the best kernel in the run's folder alone, as best/kernel.cu"),
        (replace(SETTINGS, shapes=("M=4",)), "the best kernel in the run's folder alone, as best/kernel.cu"),
        (
            replace(SETTINGS, shapes=("M=4",), results_asked=True),
            f"the best kernel in {PLACE}/own-sizes",
        ),
    ],
)
def test_where_a_run_keeps_its_best_kernel_is_said(settings: Settings, said: str) -> None:
    assert kept_of_run(settings, NamedDevice()).startswith(said)  # type: ignore[arg-type]


def test_what_is_stored_there_already_is_said_with_its_speedup(tmp_path: Path) -> None:
    store(tmp_path)
    settings = replace(scripted_run.settings(tmp_path), operator="vector_add")
    said = kept_of_run(settings, NamedDevice())  # type: ignore[arg-type]

    assert f"in {tmp_path}/virtual-h200/vector_add/fp32, where one with 1.53x lies: unless that is as" in said


def test_where_a_suite_keeps_its_best_kernels_is_said_with_the_whole_path(tmp_path: Path) -> None:
    assert f"in {tmp_path.resolve()}, unless" in kept_of_suite(tmp_path, no_store=False)
    assert "runs' folders alone" in kept_of_suite(tmp_path, no_store=True)


def test_a_folder_that_nothing_is_stored_in_is_neither_made_nor_named(tmp_path: Path) -> None:
    require_place(tmp_path / "results", None, "--out", no_store=True)
    assert not (tmp_path / "results").exists()

    with pytest.raises(UsageError, match="--out says where to: give one of them"):
        require_place(tmp_path / "results", tmp_path / "results", "--out", no_store=True)


def test_a_folder_that_cannot_be_written_names_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file")
    with pytest.raises(FolderUnwritable, match="give another with --out, or --no-store"):
        require_place(tmp_path / "results", None, "--out", no_store=False)
