"""A part's process that dies is begun again, one that hangs is ended, and the other parts are done."""

import sys
import time
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


def part(name: str) -> Part:
    return Part(name, "shows", 1.0, lambda session: [], lambda rows: {})


def statuses(folder: Path, name: str) -> dict[str, str]:
    return {row["key"]: row["status"] for row in rows_of(folder, name)}


def test_no_part_costs_another_its_items(tmp_path: Path) -> None:
    began = time.monotonic()
    run_children(
        [part("dying"), part("hanging"), part("honest")],
        9.0,
        tmp_path,
        lambda part, seconds: [sys.executable, "-c", SCRIPT, str(tmp_path), part.name],
        grace=0.5,
    )
    assert time.monotonic() - began < 12
    assert statuses(tmp_path, "dying") == {"a": "done", "b": "failed", "c": "done"}
    assert "a bug of ours" in rows_of(tmp_path, "dying")[1]["reason"]
    assert statuses(tmp_path, "hanging")["a"] == "done"
    assert "stopped when" in rows_of(tmp_path, "hanging")[1]["reason"]
    assert statuses(tmp_path, "ended") == {"what it started": "done"}
    assert statuses(tmp_path, "honest") == {"a": "done", "b": "done", "c": "done"}
