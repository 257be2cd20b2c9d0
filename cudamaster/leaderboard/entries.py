"""What takes part in a leaderboard: result files and folders of records, those of one team put together."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cudamaster.bench.result_file import read_result_file
from cudamaster.bench.score import Score, TaskStatus, judged_score, score_of
from cudamaster.errors import BrokenStore, UsageError
from cudamaster.report.document import Json
from cudamaster.report.visible import visible
from cudamaster.store.codec import Malformed, well_formed
from cudamaster.store.results import RECORD, SEAL, Stored, digest_of, folder_of, read_stored, seal_of
from mskernelbench.catalog import all_tasks, operator_names
from mskernelbench.scores import Task

USUAL = {"search": "refine", "seed": 0, "from_baseline": False, "max_minutes": None, "max_usd": None}
"""Settings that a team's name tells only where they are others."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What figures must share to stand in one table."""

    clock: str
    device: str
    clock_version: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One team's scores on one ground."""

    team: str
    ground: Ground
    scores: Mapping[Task, Score]
    sources: tuple[str, ...]
    """Files that they were read from."""
    identity: str
    """Digest of the settings: two entries of one identity are one team."""


def unsaid(operator: str) -> None:
    """What tells nobody that an operator is left out."""


def read_entries(paths: Iterable[Path], left_out: Callable[[str], None] = unsaid) -> list[Entry]:
    """The entries of result files and of folders of records, in their order.

    Files of one team on one ground become one entry. Stored records of users' own operators go to `left_out`,
    by the operator's name. Raises UsageError where a file is unsound, a task comes twice, or a result file
    has an operator that is none of the benchmark's.
    """
    entries: dict[tuple[Ground, str], Entry] = {}
    for path in dict.fromkeys(path.resolve() for path in paths):
        for entry in _of_folder(path, left_out) if path.is_dir() else [_of_file(path)]:
            key = (entry.ground, entry.identity)
            entries[key] = _merged(entries[key], entry) if key in entries else entry
    return _told_apart(list(entries.values()))


def _of_file(path: Path) -> Entry:
    document = read_result_file(path)
    settings = document["settings"]
    if not (team := _team(settings)).isprintable():
        raise UsageError(f"{path} cannot be right: its settings hold {team!r}; take a sound copy")
    scores = [score_of(row) for row in document["tasks"]]
    return Entry(
        team=team,
        ground=Ground(document["clock"], document["device"], document["clock_version"]),
        scores=_known({score.task: score for score in scores}, path),
        sources=(str(path),),
        identity=digest_of(repr(sorted(settings.items(), key=lambda item: item[0]))),
    )


def _team(settings: Json) -> str:
    """`openai:gpt-5, 3 x 3, evolve`: the model, rounds x candidates, and what is unusual."""
    name = f"{settings.get('model')}, {settings.get('rounds')} x {settings.get('candidates')}"
    unusual = [
        str(value) if name == "search" else f"{name} {value}"
        for name, usual in USUAL.items()
        if (value := settings.get(name, usual)) != usual
    ]
    return ", ".join([name, *unusual])


def _of_folder(folder: Path, left_out: Callable[[str], None]) -> Iterator[Entry]:
    """Records of one model on one ground are an entry: the best that any of its runs found."""
    found: dict[tuple[Ground, str], dict[Task, Score]] = {}
    own = set[str]()
    for score, ground, model in _records(folder):
        if score.operator in operator_names():
            found.setdefault((ground, model), {})[score.task] = score
        else:
            own.add(score.operator)
            left_out(score.operator)
    if not found:
        only = f"of the benchmark's operators, only of {', '.join(sorted(own))}" if own else ""
        raise UsageError(f"{folder} holds no records {only or f'(DEVICE/OPERATOR/PRECISION/{RECORD})'}")
    for (ground, model), scores in found.items():
        team = f"{' '.join(visible(model).split())}, best stored"
        yield Entry(
            team, ground, _known(scores, folder), (str(folder),), digest_of(repr((team, str(folder))))
        )


def _records(folder: Path) -> Iterator[tuple[Score, Ground, str]]:
    """Every sound record: its score, its ground, its model. Raises UsageError at the first that is not."""
    for file in sorted(folder.glob(f"*/*/*/{RECORD}")):
        stored = _stored(file)
        try:
            score, ground, model = _of_record(stored.record)
            _require_place(file, folder, score, ground)
        except Malformed as fault:
            raise UsageError(f"{file} cannot be right: {fault}; mend or delete it") from fault
        if stored.record.get(SEAL, seal := seal_of(stored.record)) != seal:
            raise UsageError(
                f"{file} was changed after it was written ({SEAL} does not fit); take a sound copy"
            )
        yield score, ground, model


def _stored(file: Path) -> Stored:
    try:
        stored = read_stored(file.parent)
    except BrokenStore as fault:
        raise UsageError(str(fault)) from fault
    if stored is None:
        raise UsageError(f"{file} is of another kernel than that beside it; mend or delete them")
    return stored


def _of_record(record: Json) -> tuple[Score, Ground, str]:
    with well_formed():
        for name in ("clock", "device", "clock_version", "baseline_sha256", "operator"):
            if not isinstance(record[name], str) or not record[name].isprintable():
                raise ValueError(f"{name} is {record[name]!r}")
        if record["clock"] != record["evaluation"]["clock"]:
            raise ValueError(f"its times are {record['evaluation']['clock']}, and it is {record['clock']}")
        if not isinstance(record["model"], str):
            raise ValueError(f"model is {record['model']!r}")
        low = record["evaluation"]["speedup"]["low"]
        status = TaskStatus.FASTER if low > 1 else TaskStatus.TIED
        named = Score(record["operator"], record["precision"], status)
        score = replace(judged_score(named, record), baseline_sha256=record["baseline_sha256"])
        return score, Ground(record["clock"], record["device"], record["clock_version"]), record["model"]


def _require_place(file: Path, folder: Path, score: Score, ground: Ground) -> None:
    """Raise Malformed where a record lies in another's place, as a copy does: it would count twice."""
    place = folder_of(folder, ground.device, *score.task)
    if file.parent != place:
        raise Malformed(
            f"it is of {place.relative_to(folder)}, and lies in {file.parent.relative_to(folder)}"
        )


def _known(scores: Mapping[Task, Score], path: Path) -> Mapping[Task, Score]:
    known = set(all_tasks())
    for task in scores:
        if task not in known:
            raise UsageError(
                f"{path}: {' '.join(task)} is no task of the benchmark, and tables are over its tasks only: "
                "bench operators of your own into another file"
            )
    return scores


def _merged(one: Entry, other: Entry) -> Entry:
    """Both as one. What is only pending in one of them is taken from the other."""
    scores = dict(one.scores)
    for task, score in other.scores.items():
        present = scores.get(task)
        if present and TaskStatus.PENDING not in (present.status, score.status):
            raise UsageError(
                f"{' '.join(task)} comes twice from the same team, in {one.sources[-1]} and in "
                f"{other.sources[0]}: leave one of the files out"
            )
        if present is None or present.status is TaskStatus.PENDING:
            scores[task] = score
    return replace(one, scores=scores, sources=(*one.sources, *other.sources))


def _told_apart(entries: Sequence[Entry]) -> list[Entry]:
    """Teams of one name on one ground get their first file's name behind it."""
    names = [(entry.ground, entry.team) for entry in entries]
    return [entry if names.count((entry.ground, entry.team)) == 1 else _with_file(entry) for entry in entries]


def _with_file(entry: Entry) -> Entry:
    return replace(entry, team=f"{entry.team} ({Path(entry.sources[0]).name})")
