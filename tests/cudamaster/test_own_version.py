import subprocess
import sys
import tomllib
from pathlib import Path

from cudamaster.own_version import own_version

ROOT = Path(__file__).parents[2]


def test_a_checkout_that_is_not_installed_has_the_version_of_its_project(tmp_path: Path) -> None:
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    program = (
        f"import sys; sys.path[:] = [{str(ROOT)!r}, *(p for p in sys.path if 'site-packages' not in p)]; "
        "from cudamaster.own_version import own_version; print(own_version())"
    )
    command = [sys.executable, "-S", "-c", program]
    bare = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)

    assert bare.stdout.strip() == own_version() == stated
