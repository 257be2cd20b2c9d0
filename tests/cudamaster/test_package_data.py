"""What an installed cudamaster has beside its modules: everything that its folders hold."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("cudamaster", "cudamaster/agents", "cudamaster/toolchain", "mskernelbench")
"""Two of them are links, which `rglob` does not follow."""
CODE = (".py", ".pyc")


def files() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from (path for path in (ROOT / folder).rglob("*") if path.is_file())


def test_every_file_of_a_package_is_installed_with_it() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    found = list(files())
    packages = {path.parent for path in found if path.name == "__init__.py"}
    assert ROOT / "cudamaster/agents/builtin" in packages
    left_out = {path for path in found if path.suffix not in CODE}
    for package in packages:
        name = ".".join(package.relative_to(ROOT).parts)
        for pattern in (*declared["*"], *declared.get(name, ())):
            left_out -= set(package.glob(pattern))
    assert left_out == set()
