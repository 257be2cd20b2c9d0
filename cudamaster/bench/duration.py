"""How long a suite will take: by its own finished tasks where there are any, else by what the expert took."""

from collections.abc import Sequence

from cudamaster.bench.score import TaskStatus
from cudamaster.report.document import Json
from cudamaster.search.settings import Settings

CORE_SECONDS = 16.0
"""Of a processor core for a candidate on the virtual GPU: twice the median of 60 runs of the expert, each of
which had two cores to itself; from 3 s to 60 s."""
LONG_MINUTES = 120.0
"""From here on hours are said."""


def duration_words(
    left: Sequence[Settings], rows: Sequence[Json], *, jobs: int, cores: int, modelled: bool
) -> str:
    """`about 80 min, by what the expert usually takes`: how long the tasks that are left will take."""
    known = [row["minutes"] for row in rows if "minutes" in row and TaskStatus(row["status"]).done]
    if known:
        minutes = len(left) * sum(known) / len(known) / min(jobs, len(left) or 1)
        return f"about {_long(minutes)}, by the {len(known)} finished so far"
    if not modelled:
        return "not known before a task is finished on this GPU"
    candidates = sum(usual_candidates(settings) for settings in left)
    answers = "" if all(s.model == "builtin" for s in left) else ", and the model's answers besides"
    minutes = candidates * CORE_SECONDS / cores / 60
    return f"about {_long(minutes)}, by what the expert usually takes{answers}"


def usual_candidates(settings: Settings) -> int:
    """Candidates of a usual run: where it may end early, its last round is rarely played."""
    rounds = settings.rounds - 1 if settings.patience and settings.rounds > 1 else settings.rounds
    return rounds * settings.candidates


def _long(minutes: float) -> str:
    """`45 min` or `3.5 h`."""
    return f"{max(minutes, 1):.0f} min" if minutes < LONG_MINUTES else f"{minutes / 60:.1f} h"
