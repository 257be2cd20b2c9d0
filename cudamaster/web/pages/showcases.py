"""What the first page opens with: the largest gains, as code before and after."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cudamaster.web.exhibits import Exhibit
from cudamaster.web.pages.kernel import PAGE, Comparison, comparison_of
from mskernelbench.evaluation import Interval

MOST = 3


@dataclass(frozen=True, slots=True)
class Showcase:
    """One kernel with its baseline."""

    folder: str
    """Its own in the site."""
    title: str
    speedup: Interval
    clock: str
    change: str
    code: Comparison
    run: str
    """The run that found it, where that is shown; else empty."""

    @property
    def href(self) -> str:
        """Its page."""
        return f"{self.folder}/{PAGE}"


def showcases(exhibits: Sequence[Exhibit], runs: Collection[str] = ()) -> list[Showcase]:
    """One kernel of each operator, those with the largest gains; `runs` are the names of those shown.

    Gains of both clocks are not compared: where there are measured ones, they alone are shown.
    """
    known = [e for e in exhibits if e.baseline is not None and not e.on_own_sizes and e.speedup.low > 1]
    measured = [e for e in known if e.evaluation["clock"] == "measured"]
    best: dict[str, Exhibit] = {}
    for exhibit in sorted(measured or known, key=lambda e: -e.speedup.centre):
        best.setdefault(exhibit.evaluation["operator"], exhibit)
    return [_showcase(exhibit, runs) for exhibit in list(best.values())[:MOST]]


def _showcase(exhibit: Exhibit, runs: Collection[str]) -> Showcase:
    record = exhibit.record or {}
    run = str(record.get("run", ""))
    return Showcase(
        folder=str(exhibit.place),
        title=exhibit.title,
        speedup=exhibit.speedup,
        clock=str(exhibit.evaluation["clock"]),
        change=str(record.get("change", "")),
        code=comparison_of(exhibit),
        run=run if run in runs else "",
    )
