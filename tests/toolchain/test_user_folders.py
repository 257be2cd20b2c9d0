import subprocess
import sys

import pytest

from cudamaster.toolchain.user_folders import PLACES

PROGRAM = """
import sys
if sys.argv[1] == "without":
    sys.modules["platformdirs"] = None
from cudamaster.toolchain.user_folders import PLACES, user_folder
print([str(user_folder(kind)) for kind in PLACES])
"""


@pytest.mark.parametrize("variables", [{}, {name: f"/x/{name}" for name, _, _ in PLACES.values()}])
def test_folders_are_the_same_without_the_package_that_knows_them(variables: dict[str, str]) -> None:
    def found(how: str) -> str:
        environment = {"HOME": "/home/somebody", "PYTHONPATH": ":".join(sys.path), **variables}
        command = [sys.executable, "-c", PROGRAM, how]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=True
        )
        return done.stdout

    assert found("without") == found("with")
