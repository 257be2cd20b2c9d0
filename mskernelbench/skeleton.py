"""Begins a spec for a user's kernel: what its entry says is filled in, what only the user knows is open."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from keyword import iskeyword
from pathlib import Path

import jinja2

from mskernelbench.declared_entry import DeclaredEntry
from mskernelbench.errors import NoEntry
from mskernelbench.operator import Access, Element, Kind, Parameter, Precision

TEMPLATE = "skeleton.py.j2"
CHECKED, TIMED = (1, 37, 1031), 1 << 20
"""Sizes to begin with: one, a prime, one above a power of two, and one worth timing."""
SPREAD = ("shifted", "ordinary", "mixed")
SCALAR = 0.75
"""A scalar to begin with: exact in every precision."""
SCALARS = {
    "eps": 1e-5, "epsilon": 1e-5, "tol": 1e-5, "alpha": 1.25, "beta": 0.5, "scale": 0.125, "slope": 0.125,
    "negative_slope": 0.125, "momentum": 0.875, "lr": 0.0078125, "learning_rate": 0.0078125, "theta": 10000.0,
}  # fmt: skip
"""What scalars of these names usually are; all but the smallest are exact in every precision."""


def skeleton(entry: DeclaredEntry, kernel: str, spec: str) -> str:
    """The text of a spec in the file `spec`, beside the file `kernel`."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["variable"] = variable
    tensors = [p for p in entry.parameters if p.kind is Kind.TENSOR]
    sizes = [p.name for p in entry.parameters if p.kind is Kind.INT]
    return environment.get_template(TEMPLATE).render(
        kernel=kernel,
        spec_name=spec,
        entry=entry,
        name=entry.symbol.lower(),
        precision=f"Precision.{entry.precision.name}",
        declared=[declared(parameter) for parameter in entry.parameters],
        makers=sorted({declared(parameter).partition("(")[0] for parameter in entry.parameters}),
        elements=any(declared_element(parameter) for parameter in entry.parameters),
        tensors=tensors,
        rounded=[p for p in tensors if p.access is not Access.INPUT and p.element is not Element.INT32],
        reads=[p for p in tensors if p.access is not Access.OUTPUT],
        writes=[p for p in tensors if p.access is not Access.INPUT],
        contract="POISONED" if any(p.access is Access.OUTPUT for p in tensors) else "IN_PLACE",
        drawn={p.name: drawn(p, entry.precision) for p in tensors},
        element_bytes={p.name: element_bytes(p) for p in tensors},
        scalars=[p.name for p in entry.parameters if p.kind is Kind.FLOAT],
        guesses=[f"{p.name}={guessed(p):g}" for p in entry.parameters if p.kind is Kind.FLOAT],
        length=" * ".join(f'int(shape["{name}"])' for name in sizes[:2]),
        workloads=list(workloads(entry.parameters)),
    )


def outputs_of(entry: DeclaredEntry) -> list[str]:
    """The arrays that it may write, by what its arguments say."""
    return [p.name for p in entry.parameters if p.access is Access.OUTPUT]


def with_in_place(entry: DeclaredEntry, names: Collection[str]) -> DeclaredEntry:
    """The entry whose outputs of these names are read as well as written. Raises NoEntry."""
    outputs = outputs_of(entry)
    for name in names:
        if name not in outputs:
            known = ", ".join(outputs)
            raise NoEntry(f"{entry.name} writes no array {name}, so that none is in place: it writes {known}")
    parameters = (replace(p, access=Access.IN_PLACE) if p.name in names else p for p in entry.parameters)
    return replace(entry, parameters=tuple(parameters))


def variable(name: str) -> str:
    """A parameter's name as a variable of Python: `in` becomes `in_`."""
    return f"{name}_" if iskeyword(name) else name


def declared(parameter: Parameter) -> str:
    """The parameter as a spec writes it."""
    element = declared_element(parameter)
    match parameter.kind:
        case Kind.INT:
            return f'size("{parameter.name}")'
        case Kind.FLOAT:
            return f'scalar("{parameter.name}"{element})'
        case _:
            return f'{MAKERS[parameter.access]}("{parameter.name}", "{LAYOUT}"{element})'


MAKERS = {Access.INPUT: "tensor", Access.OUTPUT: "output", Access.IN_PLACE: "in_place"}
LAYOUT = "how it is laid out"


def declared_element(parameter: Parameter) -> str:
    """How a spec says the type of its elements; empty where it is the usual one."""
    usual = {Kind.TENSOR: Element.VALUE, Kind.INT: Element.INT32, Kind.FLOAT: Element.FLOAT32}
    return "" if parameter.element is usual[parameter.kind] else f", element=Element.{parameter.element.name}"


def drawn(parameter: Parameter, precision: Precision) -> str:
    """How an input is drawn, where `count` is its length."""
    if parameter.element is Element.INT32:
        return "rng.integers(0, count, count, dtype=np.int32)"
    narrow = precision is Precision.BF16 and parameter.element is Element.FLOAT32
    return f"values(workload.values, rng, count, {'Precision.FP32' if narrow else 'precision'})"


def element_bytes(parameter: Parameter) -> str:
    """Bytes moved for an element, where `precision` is known."""
    each = "precision.value_bytes" if parameter.element is Element.VALUE else "4"
    return f"2 * {each}" if parameter.access is Access.IN_PLACE else each


def workloads(parameters: Iterable[Parameter]) -> Iterable[tuple[str, str, str]]:
    """Sets, shapes and distributions to begin with."""
    scalars = [p for p in parameters if p.kind is not Kind.TENSOR]
    sizes = [p for p in scalars if p.kind is Kind.INT]
    for index, count in enumerate((*CHECKED, TIMED)):
        sides = _sides(count, len(sizes))
        numbers = iter(sides)
        shape = ", ".join(f'"{p.name}": {next(numbers) if p in sizes else guessed(p)}' for p in scalars)
        name = "check" if count in CHECKED else "real"
        yield name, f"{{{shape}}}", SPREAD[index % len(SPREAD)]


def guessed(parameter: Parameter) -> float:
    """A scalar's value, by its name."""
    return SCALARS.get(parameter.name.lower(), SCALAR)


def _sides(count: int, sizes: int) -> list[int]:
    """About `count` elements as so many sizes; small ones differ, so that none is taken for another."""
    if count == 1 or sizes < 2:
        return [count] * sizes
    side = round(count ** (1 / min(sizes, 2)))
    return [side if count == TIMED else side + index for index in range(sizes)]
