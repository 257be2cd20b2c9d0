"""A part's process that dies is begun again, one that hangs is ended, and the other parts are done."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.gpu_check.children import run_children
from benchmarks.gpu_check.kept_rows import rows_of
from benchmarks.gpu_check.nouns import Part

SCRIPT = """
import sys
from pathlib import Path
from benchmarks.gpu_check.children import end_when_asked
from benchmarks.gpu_check.kept_rows import keep, rows_of
folder, part = Path(sys.argv[1]), sys.argv[2]
for key in ("a", "b", "c"):
    if not any(row["key"] == key for row in rows_of(folder, part)):
        keep(folder, part, {"key": key, "status": "started"})
        if part == "dying" and key == "b":
            raise SystemError("a bug of ours")
        if part == "hanging" and key == "b":
            import time
            end_when_asked()
            try:
                time.sleep(60)
            finally:
                keep(folder, "ended", {"key": "what it started", "status": "done"})
        keep(folder, part, {"key": key, "status": "done"})
"""


KILLED = """
import os, sys
from pathlib import Path
from benchmarks.gpu_check.groups import run_group
run_group([sys.executable, "-c", sys.argv[1], sys.argv[2]], 60.0)
"""
WAITS = """
import os, sys, time
from pathlib import Path
from benchmarks.gpu_check.children import end_when_asked, end_with_parent
end_when_asked()
end_with_parent()
Path(sys.argv[1]).write_text(str(os.getpid()) + "\\n")
time.sleep(60)
"""


def part(name: str) -> Part:
    return Part(name, "shows", 1.0, lambda session: [], lambda rows: {})


def statuses(folder: Path, name: str) -> dict[str, str]:
    return {row["key"]: row["status"] for row in rows_of(folder, name)}


def test_no_part_costs_another_its_items(tmp_path: Path) -> None:
    began = time.monotonic()
    run_children(
        [part("dying"), part("hanging"), part("honest")],
        15.0,
        tmp_path,
        lambda part, seconds: [sys.executable, "-c", SCRIPT, str(tmp_path), part.name],
        grace=0.5,
    )
    assert time.monotonic() - began < 20
    assert statuses(tmp_path, "dying") == {"a": "done", "b": "failed", "c": "done"}
    assert "a bug of ours" in rows_of(tmp_path, "dying")[1]["reason"]
    assert statuses(tmp_path, "hanging")["a"] == "done"
    assert "stopped when" in rows_of(tmp_path, "hanging")[1]["reason"]
    assert statuses(tmp_path, "ended") == {"what it started": "done"}
    assert statuses(tmp_path, "honest") == {"a": "done", "b": "done", "c": "done"}


def test_a_part_ends_with_the_check_that_was_killed(tmp_path: Path) -> None:
    """Else it would hold the GPU while the check that is begun again waits for it."""
    number = tmp_path / "number"
    check = subprocess.Popen([sys.executable, "-c", KILLED, WAITS, str(number)])
    wait_for(lambda: number.exists() and number.read_text().endswith("\n"))
    check.kill()
    check.wait()
    own = Path(f"/proc/{number.read_text().strip()}")
    wait_for(lambda: not own.exists())


def test_a_hangup_that_is_ignored_is_ignored() -> None:
    """As nohup has it, for who lets a check run on without a terminal."""
    said = "import os, signal; from benchmarks.gpu_check.children import end_when_asked; end_when_asked()"
    hangup = f"{said}; os.kill(os.getpid(), signal.SIGHUP); print('goes on')"
    for ignored, output in (("", ""), ("trap '' HUP; ", "goes on\n")):
        command = ["sh", "-c", f'{ignored}exec "$0" -c "$1"', sys.executable, hangup]
        assert subprocess.run(command, capture_output=True, text=True, check=False).stdout == output


def wait_for(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
