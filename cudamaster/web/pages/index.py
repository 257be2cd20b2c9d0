"""The first page: every stored kernel, and the leaderboard."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from cudamaster.leaderboard.entries import Entry
from cudamaster.leaderboard.standings import DIMENSIONS, RULE, tables_of
from cudamaster.leaderboard.writing import cells, columns_of, heading, heads
from cudamaster.report.figures import clocked, counted, shape_text
from cudamaster.web.charts.scale import Scale
from cudamaster.web.charts.spread import Spread, spread, spread_scale
from cudamaster.web.exhibits import Exhibit
from cudamaster.web.pages.environment import rendered
from cudamaster.web.pages.kernel import PAGE
from cudamaster.web.pages.showcases import showcases
from mskernelbench.evaluation import Interval

TEAM = "team"


@dataclass(frozen=True, slots=True)
class KernelLine:
    """A stored kernel, as a row."""

    href: str
    title: str
    precision: str
    speedup: Interval
    spread: Spread
    attainment: float | None
    strategy: str
    model: str


@dataclass(frozen=True, slots=True)
class KernelTable:
    """Kernels that were timed on the same kind of workloads."""

    caption: str
    lines: Sequence[KernelLine]


@dataclass(frozen=True, slots=True)
class Ground:
    """Kernels of one device and clock: no others stand in their tables."""

    title: str
    tables: Sequence[KernelTable]


@dataclass(frozen=True, slots=True)
class BoardTable:
    """One table of the leaderboard."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int
    """So many columns at the left name the row."""


@dataclass(frozen=True, slots=True)
class Board:
    """The tables of one ground."""

    heading: str
    tables: Sequence[BoardTable]


def index_page(
    exhibits: Sequence[Exhibit],
    entries: Sequence[Entry],
    no_boards: str = "",
    runs_page: str = "",
    runs: Collection[str] = (),
) -> str:
    """The page as HTML.

    `no_boards` says why there is no leaderboard, where there is none; `runs_page` is where those `runs` are
    shown.
    """
    return rendered(
        "index.html.j2",
        root="",
        shown=showcases(exhibits, runs if runs_page else ()),
        grounds=_grounds(exhibits),
        boards=boards_of(entries),
        no_boards=no_boards,
        runs_page=runs_page,
        rule=RULE,
    )


def _grounds(exhibits: Sequence[Exhibit]) -> list[Ground]:
    """Measured ones first."""
    keys = {_key(exhibit) for exhibit in exhibits}
    ordered = sorted(keys, key=lambda key: (key[0] != "measured", key[1]))
    return [_ground([e for e in exhibits if _key(e) == key]) for key in ordered]


def _key(exhibit: Exhibit) -> tuple[str, str]:
    return exhibit.evaluation["clock"], exhibit.device


def _ground(exhibits: Sequence[Exhibit]) -> Ground:
    clock, device = _key(exhibits[0])
    most = max(row.credited.centre for e in exhibits for row in e.rows)
    axis = spread_scale(most)
    usual = [e for e in exhibits if not e.on_own_sizes]
    own = [e for e in exhibits if e.on_own_sizes]
    parts = (("on the benchmark's workloads", usual), ("on sizes of the user's own", own))
    tables = [_kernel_table(f"{device}, {clock}, {words}", part, axis) for words, part in parts if part]
    return Ground(f"Best kernels on {device}, {clocked(clock)}", tables)


def _kernel_table(where: str, exhibits: Sequence[Exhibit], axis: Scale) -> KernelTable:
    count = counted(len(exhibits), "kernel")
    caption = (
        f"{count}, {where}. The speedup over a plain, fair baseline is the geometric mean over all "
        "workloads. The line reaches from the slowest to the fastest; its tick is 1x, its axis logarithmic."
    )
    return KernelTable(caption, [_line(exhibit, axis) for exhibit in exhibits])


def _line(exhibit: Exhibit, axis: Scale) -> KernelLine:
    record = exhibit.record or {}
    name = exhibit.operator.title if exhibit.operator else str(exhibit.evaluation["operator"])
    sizes = f" {shape_text(exhibit.rows[0].shape)}" if exhibit.on_own_sizes else ""
    return KernelLine(
        href=f"{exhibit.place}/{PAGE}",
        title=f"{name}{sizes}",
        precision=exhibit.precision.upper(),
        speedup=exhibit.speedup,
        spread=spread(exhibit.speedup, [row.credited.centre for row in exhibit.rows], axis),
        attainment=exhibit.evaluation.get("attainment"),
        strategy=record.get("strategy", ""),
        model=record.get("model", ""),
    )


def boards_of(entries: Sequence[Entry]) -> list[Board]:
    """For each ground the standings of all tasks, then those of its parts."""
    parts: list[tuple[str, ...]] = [(), *((name,) for name in DIMENSIONS)]
    boards: dict[str, list[BoardTable]] = {}
    for by in parts:
        for table in tables_of(entries, by):
            columns = columns_of(table, by)
            rows = [cells(row, columns) for row in _tried(table.rows, by)]
            caption = f"By {by[0]}" if by else "Teams over all tasks"
            board = BoardTable(caption, heads(columns), rows, len(by) + 1)
            boards.setdefault(heading(table.ground), []).append(board)
    return [Board(title, tables) for title, tables in boards.items()]


def _tried(rows: Iterable[dict[str, object]], by: Sequence[str]) -> list[dict[str, object]]:
    """Of single operators, only those that were tried: a hundred empty rows say nothing."""
    return [row for row in rows if "operator" not in by or row["tried"]]
