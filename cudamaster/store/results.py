"""The best kernel of each operator, precision and device: `kernel.cu` and its proof, `record.json`."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from cudamaster.errors import BrokenStore
from cudamaster.store.atomic import held, write_atomically
from cudamaster.store.codec import Json, Malformed, well_formed
from mskernelbench.evaluation import Interval
from mskernelbench.ratios import faster_than

SCHEMA = "cudamaster.record/1"
KERNEL = "kernel.cu"
RECORD = "record.json"
STORY = "story.json"
STORY_SCHEMA = "cudamaster.story/1"
OTHER_VERSION = "another version wrote it: use that one, or delete it"
OWN_SIZES = "own-sizes"
PLACES = ("*/*/*", f"*/*/*/{OWN_SIZES}/*")
"""Of the operator's workloads, `DEVICE/OPERATOR/PRECISION`; of a user's, `own-sizes/RUN` under that."""
SEAL = "record_sha256"
GROUND = ("device", "clock", "clock_version", "baseline_sha256")
"""What two records share where their speedups mean the same."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One stored pair."""

    kernel: str
    """The source."""
    record: Json
    story: Json | None = None
    """How it was found (`search/story.py`), to be stored beside the pair; not read with it."""

    @property
    def speedup(self) -> Interval:
        """The geometric-mean speedup."""
        return speedup_of(self.record)

    @property
    def low(self) -> float:
        """Its lower bound."""
        return self.speedup.low


def folder_of(results: Path, device: str, operator: str, precision: str) -> Path:
    """`results/<device>/<operator>/<precision>`, the device's colon a dash."""
    return results / device.replace(":", "-") / operator / precision


def read_stored(folder: Path) -> Stored | None:
    """The pair in `folder`; None where there is none, or where it is torn (the record names another kernel).

    Raises BrokenStore where the record is not one.
    """
    if not (folder / RECORD).exists() or not (folder / KERNEL).exists():
        return None
    record = read_record(folder / RECORD)
    kernel = read_kernel(folder, record)
    return None if kernel is None else Stored(kernel, record)


def read_kernel(folder: Path, record: Json) -> str | None:
    """The source in `folder`, byte for byte; None where it is not the record's. Raises BrokenStore."""
    content = _content(folder / KERNEL)
    if hashlib.sha256(content).hexdigest() != record["kernel_sha256"]:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError as cause:
        raise BrokenStore(f"{folder / KERNEL} is not text ({cause}); delete it and its record") from cause


def read_story(folder: Path, record: Json) -> Json | None:
    """The story of how the record's kernel was found; None where none is kept. Raises BrokenStore."""
    path = folder / STORY
    if not path.exists():
        return None
    story = _json(path)
    if not isinstance(story, dict) or story.get("schema") != STORY_SCHEMA:
        raise BrokenStore(f"{path} is not a {STORY_SCHEMA} document; {OTHER_VERSION}")
    return story if tells_of(story, record) else None


def tells_of(story: Json, record: Json) -> bool:
    """Whether a story's champion is the record's kernel."""
    champion = story.get("champion")
    return isinstance(champion, dict) and champion.get("kernel_sha256") == record["kernel_sha256"]


def digest_of(source: str) -> str:
    """SHA-256 of a source, hexadecimal."""
    return hashlib.sha256(source.encode()).hexdigest()


def sealed(record: Json) -> Json:
    """`record` with the hash of all else in it, by which any change of it shows."""
    return {**record, SEAL: seal_of(record)}


def seal_of(document: Json, seal: str = SEAL) -> str:
    """SHA-256 of a record or another document, its own `seal` left out, hexadecimal.

    The same whatever the order and the spaces of its text.
    """
    rest = {name: value for name, value in document.items() if name != seal}
    return digest_of(json.dumps(rest, sort_keys=True))


def read_record(path: Path) -> Json:
    """The record in a file. Raises BrokenStore."""
    record = _json(path)
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise BrokenStore(f"{path} is not a {SCHEMA} document; {OTHER_VERSION}")
    try:
        with well_formed():
            _require_known(record)
    except Malformed as fault:
        raise BrokenStore(f"{path} cannot be right: {fault}; mend or delete it") from fault
    return record


def _require_known(record: Json) -> None:
    """Raise what `well_formed` knows where a record lacks what the store goes by."""
    for name in (*GROUND, "kernel_sha256"):
        if not isinstance(record[name], str):
            raise ValueError(f"{name} is {record[name]!r}")
    speedup_of(record)


def speedup_of(record: Json) -> Interval:
    """The geometric-mean speedup that a record tells of."""
    figures = record["evaluation"]["speedup"]
    return Interval(*(float(figures[name]) for name in ("geomean", "low", "high")))


def _content(path: Path) -> bytes:
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise BrokenStore(f"{path} is no file; delete it, or take a sound copy")
    return path.read_bytes()


def _json(path: Path) -> object:
    try:
        return json.loads(_content(path).decode())
    except (ValueError, RecursionError) as cause:
        raise BrokenStore(f"{path} is not JSON; delete it, or take a sound copy") from cause


def comparable(one: Json, other: Json) -> bool:
    """Whether two records' speedups mean the same: device, clock, its model or driver, and baseline agree."""
    return all(one[key] == other[key] for key in GROUND)


def store_better(folder: Path, champion: Stored) -> bool:
    """Store `champion` unless a comparable stored kernel is as fast; True where it was stored.

    One is as fast as far as the clock can tell: for less than that no record is replaced, nor for the very
    kernel that is stored, which is no better when it is judged once more. Readers never take a torn pair for
    a result: the record names its kernel's hash. Two runs may call this at once.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with held(folder):
        present = read_stored(folder)
        if present and comparable(present.record, champion.record) and _holds_against(present, champion):
            return False
        write_atomically(folder / KERNEL, champion.kernel.encode())
        write_atomically(folder / RECORD, (json.dumps(champion.record, indent=2) + "\n").encode())
        _keep_story(folder, champion.story)
        return True


def _keep_story(folder: Path, story: Json | None) -> None:
    if story is None:
        (folder / STORY).unlink(missing_ok=True)
    else:
        write_atomically(folder / STORY, (json.dumps(story, indent=1) + "\n").encode())


def _holds_against(present: Stored, champion: Stored) -> bool:
    gains = faster_than(champion.speedup, present.speedup, champion.record["clock"])
    return present.kernel == champion.kernel or not gains
