"""The user's own sizes: `--shape M=4096,N=2048,K=4096` as a workload of the set `user`."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from mskernelbench.errors import BadShape
from mskernelbench.memory import require_fitting
from mskernelbench.operator import Kind, Operator, Parameter, Shape, Workload
from mskernelbench.sparse_shapes import EXAMPLE, WIDE_EXAMPLE


def parse_shape(operator: Operator, given: str | Mapping[str, str]) -> Workload:
    """The workload that `given` describes, where it fits into memory. Raises BadShape."""
    workload = described(operator, given)
    require_fitting(operator, workload)
    return workload


def described(operator: Operator, given: str | Mapping[str, str]) -> Workload:
    """The workload that `given` describes, as `M=64,N=8` or as names and texts. Raises BadShape.

    The names are those of the entry's scalars; scalars with a default may be left out. Sparse operators take
    `rows`, `cols`, one of `nnz`, `nnz_per_row` and `density`, and `pattern`; SpMM `K` as well. A workload may
    be given as reports print it, `rows=9 cols=9 nnz=33 poisson5`: then it is that one, values and all. The
    pattern alone, `poisson5`, is enough where one timed workload has it.
    """
    split = split_shape(given) if isinstance(given, str) else Split(given)
    if not split.named and len(split.words) == 1:
        return _of_pattern(operator, split.words[0])
    return _printed(operator, split) or _made(operator, split)


def shape_example(operator: Operator) -> str:
    """A `--shape` that the operator takes: `M=64,N=8`."""
    if operator.user_shape is not None:
        return WIDE_EXAMPLE if any(p.name == "K" for p in operator.signature) else EXAMPLE
    return ",".join(f"{name}={value}" for name, value in _usual(operator).shape.items())


@dataclass(frozen=True, slots=True)
class Split:
    """The parts of a shape's text."""

    named: Mapping[str, str]
    words: tuple[str, ...] = ()
    """Those without a value: a pattern, and what values are drawn from."""


def split_shape(text: str) -> Split:
    """`M=64,N=8`, or `rows=9 cols=9 nnz=33 poisson5` as reports print it, in its parts. Raises BadShape."""
    named: dict[str, str] = {}
    words: list[str] = []
    for part in re.split(r"[,\s]+", re.sub(r"\s*=\s*", "=", text).strip()):
        name, equals, value = part.partition("=")
        if not name or bool(equals) != bool(value):
            raise BadShape(f"{part!r} is not NAME=VALUE; a shape is written like M=64,N=8")
        if name in named:
            raise BadShape(f"{name} is given twice in {text}")
        if equals:
            named[name] = value
        else:
            words.append(name.strip("()"))
    return Split(named, tuple(words))


def _printed(operator: Operator, split: Split) -> Workload | None:
    """The operator's own workload that a report prints so, timed ones first; sizes alone name none."""
    for workload in sorted(operator.workloads, key=lambda w: w.set == "check"):
        words = {workload.pattern, workload.values}
        sizes = {name: str(value) for name, value in workload.shape.items()}
        sizes |= dict.fromkeys(workload.absent, "null")
        needed = {workload.pattern} if workload.pattern else {workload.values}
        if sizes == split.named and needed <= set(split.words) <= words:
            return replace(workload, set="user")
    return None


def _of_pattern(operator: Operator, pattern: str) -> Workload:
    """The one timed workload of this pattern. Raises BadShape where there is none, or several."""
    timed = [w for w in operator.workloads if w.set != "check" and w.pattern]
    found = [w for w in timed if w.pattern == pattern]
    if len(found) == 1:
        return replace(found[0], set="user")
    printed = ", ".join(f"'{' '.join(f'{n}={v}' for n, v in w.shape.items())} {w.pattern}'" for w in found)
    if found:
        raise BadShape(f"{len(found)} timed workloads are {pattern}: give one of {printed}")
    known = ", ".join(sorted({str(w.pattern) for w in timed}))
    names = f", or as one of {known}" if known else ""
    raise BadShape(f"{pattern!r} is not NAME=VALUE; write the shape as {shape_example(operator)}{names}")


def _made(operator: Operator, split: Split) -> Workload:
    """The workload of these sizes; the first word is a sparse one's pattern, another what values it has."""
    named, words = dict(split.named), list(split.words)
    if operator.user_shape is not None and words and "pattern" not in named:
        named["pattern"] = words.pop(0)
    _require_values(operator, words, {w.values for w in operator.workloads})
    workload = operator.user_shape(named) if operator.user_shape else _dense(operator, named)
    _require_values(operator, words, {workload.values})
    return workload


def _require_values(operator: Operator, words: Iterable[str], known: Collection[str]) -> None:
    for word in words:
        if word not in known:
            raise BadShape(f"{word!r} is not NAME=VALUE; write the shape as {shape_example(operator)}")


def _dense(operator: Operator, named: Mapping[str, str]) -> Workload:
    scalars = [p for p in operator.signature if p.kind is not Kind.TENSOR]
    usual = _usual(operator)
    names = {p.name.lower(): p.name for p in scalars}
    given = {names.get(name.lower(), name): text for name, text in named.items()}
    example = shape_example(operator)
    if unknown := sorted(set(given) - set(names.values())):
        raise BadShape(f"{operator.name} has no size {unknown[0]!r}; write its shape as {example}")
    shape = {
        p.name: _value(p, given, usual.shape, example) for p in scalars if _wanted(p, given, usual.shape)
    }
    if reason := operator.unfit(shape) if operator.unfit else None:
        raise BadShape(f"{reason}; write the shape as {example}")
    return Workload("user", shape, usual.values)


def _usual(operator: Operator) -> Workload:
    """A timed workload of the operator: its data, and its scalars where they are left out."""
    return next(w for w in operator.workloads if w.set != "check")


def _wanted(parameter: Parameter, given: Mapping[str, str], usual: Shape) -> bool:
    """Whether a workload's shape holds this scalar; one with a default only where it is given or usual."""
    return parameter.default is None or parameter.name in given or parameter.name in usual


def _value(parameter: Parameter, given: Mapping[str, str], usual: Shape, example: str) -> int | float:
    name = parameter.name
    if name not in given:
        if parameter.kind is Kind.INT:
            raise BadShape(f"{name} is missing; write the shape as {example}")
        return usual[name]
    kind = int if parameter.kind is Kind.INT else float
    try:
        value = kind(given[name])
    except ValueError:
        words = "a whole number" if kind is int else "a number"
        raise BadShape(f"{name}={given[name]} is not {words}") from None
    if kind is int and not parameter.least <= value < 2**31:
        raise BadShape(f"{name}={value} does not lie between {parameter.least} and 2^31 − 1")
    return value
