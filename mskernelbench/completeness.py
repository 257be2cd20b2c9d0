"""Looks an operator's declaration over: what is missing or does not fit together. Runs no kernel."""

from collections.abc import Callable, Iterator

from mskernelbench.entries import EntryProblem, find_entry
from mskernelbench.errors import BaselineMissing
from mskernelbench.operator import Access, Contract, Operator

KNOWN_SETS = {"check", "paper", "real"}


def lacks(operator: Operator) -> list[str]:
    """Sentences about what is missing or contradictory."""
    return [said for look in LOOKS for said in look(operator)]


def names(operator: Operator) -> Iterator[str]:
    """The folder, the name and the symbol are one word; a spec that names its baselines may lie anywhere."""
    if operator.baselines is None and operator.name != operator.folder.name:
        yield f"its name is {operator.name!r}, but its folder {operator.folder.name!r}"
    if operator.symbol.lower() != operator.name or not operator.symbol.isidentifier():
        yield f"its symbol {operator.symbol!r} is not the name {operator.name!r} in some case"
    if not (operator.mathematics and operator.source):
        yield "it says neither what it computes nor where that is described"


def parameters(operator: Operator) -> Iterator[str]:
    """Names differ, something is written, and the contract fits what is."""
    given = [p.name for p in operator.signature]
    if len(set(given)) < len(given) or "stream" in given:
        yield "its parameters share a name, or use 'stream', which is passed after them"
    if not operator.output_names:
        yield "its signature has no output"
    yield from contract(operator)


def contract(operator: Operator) -> Iterator[str]:
    """It says what outputs hold before a call; what is overwritten in place holds its input in any case."""
    plain = [p.name for p in operator.signature if p.access is Access.OUTPUT]
    in_place = operator.contract is Contract.IN_PLACE
    if in_place and plain:
        yield (
            f"its contract is in_place, and its output {plain[0]!r} is not: declare it "
            f'in_place("{plain[0]}", …) where the kernel reads it too; else give Contract.POISONED, '
            "or ZEROED where it adds into it"
        )
    if not in_place and operator.output_names and not plain:
        yield f"its contract is {operator.contract}, and all its outputs are in_place: give Contract.IN_PLACE"


def workloads(operator: Operator) -> Iterator[str]:
    """There is something to check and something to time, with dimensions for every output."""
    sets = {w.set for w in operator.workloads}
    if not (sets <= KNOWN_SETS and "check" in sets and len(sets) > 1):
        yield f"its workloads are of the sets {sorted(sets)}; it needs check, and paper or real, and no other"
    labels = [f"{w.set} {w.label}" for w in operator.workloads]
    if len(set(labels)) < len(labels):
        yield f"two of its workloads are alike: {next(x for x in labels if labels.count(x) > 1)}"
    for workload in operator.workloads[:1]:
        if set(operator.outputs(workload.shape)) != set(operator.output_names):
            yield "its outputs(shape) does not give dimensions for exactly the outputs of its signature"


def baselines(operator: Operator) -> Iterator[str]:
    """The baselines exist and define the entry."""
    if not operator.precisions:
        yield "it names no baseline"
    for precision in operator.precisions:
        try:
            found = find_entry(operator.baseline(precision), operator, precision)
        except BaselineMissing as missing:
            yield str(missing)
        else:
            if isinstance(found, EntryProblem):
                yield f"{operator.baseline_file(precision).name}: {found.reason}"


LOOKS: tuple[Callable[[Operator], Iterator[str]], ...] = (names, parameters, workloads, baselines)
