"""What runs taught, kept for later runs: an SQLite file that several processes may use at once."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from cudamaster.errors import BrokenStore

FILE = "lessons.sqlite"
"""Its name beside the runs."""
WAIT_SECONDS = 30.0
"""For another process that writes."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One candidate's lesson, and what it is about."""

    run: str
    number: int
    """The candidate's; with `run` it names the lesson."""
    operator: str
    family: str
    """The operator's category."""
    precision: str
    device: str
    """The hardware, such as `virtual:h200`."""
    bound: str
    """What bound the kernel that the candidate started from; empty where that is not known."""
    strategy: str
    speedup: float
    """Over the baseline."""
    reward: float
    text: str
    """One sentence."""


NAMES = tuple(field.name for field in fields(Lesson))
TABLE = f"CREATE TABLE IF NOT EXISTS lessons ({', '.join(NAMES)}, PRIMARY KEY (run, number))"
KEEP = f"INSERT OR REPLACE INTO lessons ({', '.join(NAMES)}) VALUES ({', '.join('?' * len(NAMES))})"
TAKE_BACK = "DELETE FROM lessons WHERE run = ? AND number = ?"
FITTING = f"""
    SELECT {", ".join(NAMES)} FROM lessons WHERE family = :family AND run != :run
    ORDER BY 4 * (operator = :operator) + 2 * (bound = :bound) + (device = :device) DESC,
             precision = :precision DESC, abs(reward) DESC, run DESC, number
"""


@dataclass(frozen=True, slots=True)
class Lessons:
    """The store."""

    file: Path

    def keep(self, lessons: Iterable[Lesson]) -> None:
        """Add these; one that is there already is replaced. All of them or none. Raises BrokenStore."""
        with self._open() as database, database:
            database.executemany(KEEP, [astuple(lesson) for lesson in lessons])

    def take_back(self, run: str, numbers: Iterable[int]) -> None:
        """Remove the lessons of these candidates of a run. Raises BrokenStore."""
        with self._open() as database, database:
            database.executemany(TAKE_BACK, [(run, number) for number in numbers])

    def fitting(
        self, *, operator: str, family: str, precision: str, device: str, bound: str, run: str, most: int
    ) -> list[Lesson]:
        """Lessons on operators of `family` from other runs than `run`, the most fitting first.

        The same operator counts most, then the bound, then the device; among equals the larger effect, for
        better or worse. No sentence comes twice. Raises BrokenStore.
        """
        if not self.file.exists():
            return []
        asked = {"operator": operator, "family": family, "precision": precision}
        with self._open() as database:
            rows = database.execute(FITTING, asked | {"device": device, "bound": bound, "run": run})
            found = {lesson.text: lesson for row in reversed(rows.fetchall()) if (lesson := Lesson(*row))}
        return list(reversed(found.values()))[:most]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.file, timeout=WAIT_SECONDS)) as database:
                database.execute(TABLE)
                yield database
        except sqlite3.DatabaseError as fault:
            raise BrokenStore(
                f"the lessons of earlier runs in {self.file} cannot be used ({fault}): free or "
                "delete that file, or start a run with --no-lessons"
            ) from fault
