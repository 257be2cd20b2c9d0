"""Links what answers a candidate that asks the CUDA runtime for the driver's functions by name.

Candidates are not linked with the driver, and today's code asks for what makes tensor maps. The runtime would
give any function of the driver; ours (`driver_entries.cpp`) takes its place within the candidate's library.
"""

import hashlib
from pathlib import Path

SOURCE = Path(__file__).with_name("driver_entries.cpp")
FILENAME = "driver+entries.cpp"
"""What it is called beside a candidate's file, which can have no such name."""
QUESTIONS = frozenset({"cudaGetDriverEntryPoint", "cudaGetDriverEntryPointByVersion"})


def answered(text: str) -> frozenset[str]:
    """The runtime's functions that a library made of `text` has itself: both where one is spelt, or none."""
    return QUESTIONS if any(name in text for name in QUESTIONS) else frozenset()


def add_answers(text: str, folder: Path) -> list[str]:
    """What to compile and link with `text`, now in `folder`, so that its questions are answered there."""
    if not answered(text):
        return []
    (folder / FILENAME).write_text(SOURCE.read_text())
    return [FILENAME]


def answers_fingerprint(text: str) -> str:
    """What a build of `text` depends on besides itself; empty where it asks nothing."""
    if not answered(text):
        return ""
    return f", driver entries {hashlib.sha256(SOURCE.read_bytes()).hexdigest()}"
