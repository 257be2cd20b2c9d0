"""Finding nvcc: the order, and what is said where there is none."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.nvcc.finder import find_toolchain, program_places

SYSTEM_PATH = "/usr/bin:/bin"


def toolkit(root: Path, version: str) -> Path:
    nvcc = root / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text(f"#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V{version}'\n")
    nvcc.chmod(0o755)
    (root / "include").mkdir()
    return nvcc


def test_the_setting_comes_before_cuda_home(tmp_path: Path) -> None:
    named, home = toolkit(tmp_path / "named", "13.0.1"), toolkit(tmp_path / "home", "13.0.2")
    environment = {"CUDA_HOME": str(home.parent.parent), "PATH": SYSTEM_PATH}
    found = find_toolchain(str(named), environment)
    assert (found.nvcc, found.version) == (named, "13.0.1")
    assert found.include_dirs == (tmp_path / "named" / "include",)
    variable = {**environment, "CUDAMASTER_NVCC": str(named)}
    assert find_toolchain(None, variable).nvcc == named
    assert find_toolchain(None, environment).nvcc == home


def test_a_setting_that_names_no_program_is_an_error_and_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentLacks, match="CUDAMASTER_NVCC names"):
        find_toolchain(str(tmp_path / "nvcc"), {"PATH": SYSTEM_PATH})


def test_a_cuda_home_with_only_a_runtime_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "runtime").mkdir()
    nvcc = toolkit(tmp_path / "path", "13.0.1")
    environment = {"CUDA_HOME": str(tmp_path / "runtime"), "CUDA_PATH": str(nvcc.parent.parent)}
    assert find_toolchain(None, {**environment, "PATH": SYSTEM_PATH}).nvcc == nvcc


def times_out(name: str) -> str:
    raise ChildProcessError(f"the search for {name} timed out")


@pytest.mark.parametrize("of_it", [{}, {"find_nvidia_binary_utility": times_out}], ids=["older", "slow"])
def test_where_cuda_pathfinder_cannot_tell_the_path_is_asked(
    of_it: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older one finds no programs, and on a slow machine it gives up."""
    pathfinder = ModuleType("cuda.pathfinder")
    vars(pathfinder).update(of_it)
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", pathfinder)
    monkeypatch.setattr(sys, "path", [])
    nvcc = toolkit(tmp_path / "path", "13.0.1")

    places = list(program_places("nvcc", None, {"PATH": str(nvcc.parent)}))

    assert places == [(nvcc, "PATH")]


def test_wheels_are_found_wherever_packages_are_imported_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `pip install --target` has them."""
    nvcc = toolkit(tmp_path / "nvidia" / "cu13", "13.0.88")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert next(program_places("nvcc", None, {"PATH": SYSTEM_PATH})) == (nvcc, "wheels")


def test_a_script_that_starts_nvcc_stands_for_nvcc(tmp_path: Path) -> None:
    """Headers, libraries and the other programs lie beside nvcc, not beside the script."""
    itself = find_toolchain()
    script = tmp_path / "bin" / "nvcc"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {itself.nvcc} "$@"\n')
    script.chmod(0o755)

    found = find_toolchain(str(script))

    assert (found.nvcc, found.version) == (itself.nvcc, itself.version)
    assert (found.include_dirs, found.library_dirs) == (itself.include_dirs, itself.library_dirs)


def test_a_missing_host_compiler_is_named_with_advice(tmp_path: Path) -> None:
    nvcc = toolkit(tmp_path / "named", "13.0.1")
    with pytest.raises(EnvironmentLacks, match="apt install g"):
        find_toolchain(str(nvcc), {"PATH": str(tmp_path)})


def test_an_nvcc_that_does_not_run_is_named(tmp_path: Path) -> None:
    nvcc = toolkit(tmp_path / "named", "13.0.1")
    shutil.copy("/bin/false", nvcc)
    with pytest.raises(EnvironmentLacks, match="does not run"):
        find_toolchain(str(nvcc), {"PATH": SYSTEM_PATH})


def test_two_compilers_that_build_alike_share_a_fingerprint(tmp_path: Path) -> None:
    one, two = toolkit(tmp_path / "one", "13.0.1"), toolkit(tmp_path / "two", "13.0.1")
    environment = {"PATH": SYSTEM_PATH}
    assert (
        find_toolchain(str(one), environment).fingerprint == find_toolchain(str(two), environment).fingerprint
    )


def test_machines_of_different_kinds_share_no_builds(tmp_path: Path) -> None:
    """Two that mount one home folder share the cache in it."""
    toolkit(tmp_path / "a", "13.0.1")
    found = find_toolchain(str(tmp_path / "a" / "bin" / "nvcc"), {"PATH": SYSTEM_PATH})
    prints = [replace(found, machine=machine).fingerprint for machine in ("x86_64", "aarch64")]
    assert prints[1] == f"{prints[0]} for aarch64"


def test_other_programs_are_found_in_the_same_order(tmp_path: Path) -> None:
    named, home, on_path = (tmp_path / folder / "bin" / "ncu" for folder in ("named", "home", "path"))
    for program in (named, home, on_path):
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    environment = {"CUDA_HOME": str(tmp_path / "home"), "PATH": str(on_path.parent)}
    assert [place for place, _ in program_places("ncu", None, environment)] == [home, on_path]
    assert next(program_places("ncu", None, {"CUDAMASTER_NCU": str(named)})) == (named, "setting")
