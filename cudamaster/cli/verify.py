"""`cudamaster verify`: reach stored records' verdicts again from their evidence."""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from cudamaster.cli import options
from cudamaster.errors import UsageError

if TYPE_CHECKING:
    from cudamaster.cli.opening import Opening, OperatorChoice
    from cudamaster.search.verifying import Difference, Verification
    from cudamaster.store.codec import Json
    from mskernelbench.operator import Operator

SCHEMA = "cudamaster.verification/1"


class OwnOperatorUnknown(UsageError):
    """A record is of an operator that is not the benchmark's, and nobody said where that is."""

    def __init__(self, record: Path, operator: str) -> None:
        super().__init__(
            f"{record}: {operator!r} is none of the benchmark's operators; if it is your own, verify it with "
            f"'cudamaster verify {record} --spec FILE.py' (or --operators-dir DIR)"
        )


@click.command("verify")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--on-paper", is_flag=True, help="Compare hashes and what figures follow from others; run nothing."
)
@options.operators_dir
@options.spec
@options.as_json
@click.pass_context
def command(
    context: click.Context,
    path: Path,
    on_paper: bool,
    operators_dir: Path | None,
    spec: Path | None,
    as_json: bool,
) -> int:
    """Reach the verdict of stored records again from their evidence.

    PATH is a record.json, or a folder with records in it. Each kernel is compared with its hashes, built and
    judged again as the record says. One of your own operator needs its --spec; without it, a folder's others
    are judged. Exits with 0 when every record judged holds, with 1 when something differs.
    """
    from cudamaster.cli import console
    from cudamaster.cli.opening import opening
    from cudamaster.cli.own_spec import of_folder_or_spec

    own, _ = of_folder_or_spec(operators_dir, spec, ())
    means, found, skipped = opening(context), list["Verification"](), list["Json"]()
    records, clock = records_in(path), Progress()
    for number, record in enumerate(records):
        left = clock.words(number, len(records)) if not on_paper else ""
        place = f"{number + 1} of {len(records)}{left}: " if len(records) > 1 else ""
        console.progress().print(f"record     {place}{record}", soft_wrap=True)
        try:
            found.append(_verified(record, means, own, on_paper=on_paper))
        except OwnOperatorUnknown as unknown:
            console.progress().print(f"not judged {unknown}", soft_wrap=True)
            skipped.append({"record": str(record), "reason": str(unknown)})
            continue
        if not as_json:
            show(found[-1])
    if not found:  # nothing judged is no proof that all holds
        raise UsageError(skipped[0]["reason"])
    return tell(found, skipped, as_json=as_json)


class Progress:
    """How long the records that are left will take, by those that are done."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._begun = now()

    def words(self, done: int, total: int) -> str:
        """`, about 2 min left`; before the first is done, that each may take minutes."""
        if not done:
            return ", each is built and judged again: some seconds to minutes"
        minutes = (self._now() - self._begun) / done * (total - done) / 60
        return f", about {minutes:.0f} min left" if minutes >= 1 else ", less than a minute left"


def records_in(path: Path) -> list[Path]:
    """The record itself, or all below a folder. Raises UsageError where there is none."""
    from cudamaster.store.results import RECORD

    if not path.exists():
        raise UsageError(f"{path} does not exist: 'cudamaster optimize' stores its best kernel, in ./results")
    if path.is_file() and path.suffix != Path(RECORD).suffix:
        raise UsageError(f"{path} is no record: give its {RECORD}, the folder that holds it, or all results")
    found = sorted(path.rglob(RECORD)) if path.is_dir() else [path] if path.is_file() else []
    if not found:
        raise UsageError(f"{path} is neither a {RECORD} nor a folder with one in it")
    return found


def _verified(path: Path, means: "Opening", own: Path | None, *, on_paper: bool) -> "Verification":
    from cudamaster.search.verifying import Verification
    from cudamaster.store.codec import Malformed
    from cudamaster.store.results import KERNEL, SEAL, read_record, seal_of
    from mskernelbench.errors import UnknownOperator

    record = read_record(path)
    if not (path.parent / KERNEL).is_file():
        raise UsageError(f"{path.parent / KERNEL} is missing: a record is verified with its kernel beside it")
    kernel = (path.parent / KERNEL).read_bytes().decode(errors="replace")
    try:
        chosen, differences = _on_paper(record, kernel, own)
        if not (on_paper or differences):
            _require_judgeable(record)
    except Malformed as fault:
        raise UsageError(f"{path} cannot be right: {fault}; take a sound copy") from fault
    except UnknownOperator as fault:
        if record.get(SEAL, seal := seal_of(record)) == seal:
            raise OwnOperatorUnknown(path, record["operator"]) from fault
        return Verification(str(path), ("the record was changed after it was sealed",), (str(fault),))
    unverified = [] if SEAL in record else ["the record has no seal: an earlier version wrote it"]
    if on_paper:
        unverified.append("the kernel was not judged again, as was asked")
    elif not differences:  # what does not agree with itself needs no referee
        found, unseen = _judged(record, kernel, chosen.operator, means)
        differences, unverified = found, unverified + unseen
    return Verification(str(path), tuple(differences), tuple(unverified))


def _on_paper(record: "Json", kernel: str, own: Path | None) -> tuple["OperatorChoice", list["Difference"]]:
    """The record's task, and what differs without running anything. Raises Malformed."""
    from cudamaster.cli.opening import choose_operator
    from cudamaster.search.verifying import differences_on_paper
    from cudamaster.store.codec import well_formed

    with well_formed():
        chosen = choose_operator(record["operator"], record["precision"], own)
        baseline = chosen.operator.baseline(chosen.precision)
        differences = list(differences_on_paper(record, kernel, baseline))
        return chosen, differences


def _require_judgeable(record: "Json") -> None:
    """Raise Malformed where a record does not say how its kernel is judged again."""
    from cudamaster.store.codec import well_formed

    with well_formed():
        said = record["entry"], record["versions"]["nvcc"], record["evaluation"]["seed"] is not None
        if not (all(said) and isinstance(record["settings"], dict)):
            raise ValueError("its entry, versions, seed or settings are empty")


def _judged(
    record: "Json", kernel: str, operator: "Operator", means: "Opening"
) -> tuple[list["Difference"], list[str]]:
    """What differs when the kernel is judged again, and what that cannot tell."""
    from cudamaster.report.figures import clock_text
    from cudamaster.search.evidence import clock_version, versions
    from cudamaster.search.user_workloads import user_workloads
    from cudamaster.search.verifying import differences_when_compiled, differences_when_judged
    from mskernelbench.operator import Precision
    from mskernelbench.referee import Referee

    settings = record["settings"]
    shapes = user_workloads(operator, settings.get("shapes", ()), settings.get("matrices", ()))
    name = record["device"] if record["clock"] == "modelled" else record["device"].partition(":")[0]
    with means.device(name) as (device, _):
        if clock_version(device) != record["clock_version"]:
            there, here = clock_text(record["clock_version"]), clock_text(clock_version(device))
            other = f"its times are of {there}, and this is {here}"
            return [f"{other}: '{record['command']}' makes it anew"], []
        precision, judged = Precision(record["precision"]), record["evaluation"]
        referee = Referee(
            device, operator, precision, seed=judged["seed"], draw=judged.get("draw"), shapes=shapes
        )
        unseen = [] if record["clock"] == "modelled" else ["measured times were not taken again"]
        differences = list(differences_when_judged(record, kernel, referee))
        if (nvcc := versions()["nvcc"]) == record["versions"]["nvcc"]:
            differences += differences_when_compiled(record, kernel, referee)
        else:
            unseen.append(f"PTX and object are of nvcc {record['versions']['nvcc']}, and this is {nvcc}")
        return differences, unseen


def show(found: "Verification") -> None:
    """Write what was found of one record to stdout, at once: the next may take a minute."""
    from cudamaster.cli import console

    console.results().print("\n".join(_lines(found)), markup=False, highlight=False, soft_wrap=True)


def tell(found: Sequence["Verification"], skipped: Sequence["Json"], *, as_json: bool) -> int:
    """The exit code; the document to stdout, where that was asked for."""
    from cudamaster.errors import DONE, REFUSED
    from cudamaster.report.document import to_text

    holds = all(one.holds for one in found)
    if as_json:
        records = [one.document() for one in found]
        document = {"schema": SCHEMA, "holds": holds, "records": records}
        click.echo(to_text(document | ({"not_judged": list(skipped)} if skipped else {})))
    return DONE if holds else REFUSED


def _lines(found: "Verification") -> list[str]:
    head = f"{'holds' if found.holds else 'DIFFERS'}: {found.record}"
    rest = [*found.differences, *(f"not looked at: {words}" for words in found.unverified)]
    return [head, *(f"  {words}" for words in rest)]
