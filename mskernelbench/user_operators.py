"""A user's own folder of operators, laid out as ours: one folder each, with a `spec.py` and baselines."""

import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, wraps
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from mskernelbench.completeness import lacks
from mskernelbench.errors import BadOperator, BenchmarkError
from mskernelbench.operator import Operator

P = ParamSpec("P")
T = TypeVar("T")

FUNCTIONS = ("inputs", "outputs", "reference", "rounding", "flops", "dram_bytes", "weight")
"""The fields of an operator that are its author's code."""


def user_operators(folder: Path, ours: Sequence[Operator]) -> tuple[Operator, ...]:
    """The operators in `folder`, by name.

    Raises BadOperator where there is none, where one has a name of `ours`, or where a spec is broken: then
    the message begins with its file and line.
    """
    specs = sorted(folder.glob("*/spec.py"))
    if not specs:
        what = "holds no operator" if folder.is_dir() else "is no folder"
        raise BadOperator(f"{folder} {what}: an operator is a folder NAME in it with NAME/spec.py")
    taken = {name: operator.name for operator in ours for name in names_of(operator)}
    loaded = []
    for spec in specs:
        operator = load(spec.resolve())
        _require_new(operator, taken)
        taken |= dict.fromkeys(names_of(operator), operator.name)
        loaded.append(operator)
    return tuple(loaded)


def names_of(operator: Operator) -> set[str]:
    """Everything that finds an operator."""
    return {operator.name, *operator.aliases}


def _require_new(operator: Operator, taken: Mapping[str, str]) -> None:
    for name in sorted(names_of(operator) & set(taken)):
        raise BadOperator(
            f"{operator.folder}: {name!r} already means the operator {taken[name]}; give yours another name"
        )


@cache
def load(spec: Path) -> Operator:
    """The `OPERATOR` of one spec, looked over. Raises BadOperator."""
    with blaming(spec.parent):
        operator = _executed(spec).OPERATOR
        if not isinstance(operator, Operator):
            raise BadOperator(f"{spec}: OPERATOR is no Operator of mskernelbench.operator")
        missing = lacks(operator)
    if missing:
        raise BadOperator(f"{spec}: {'; '.join(missing)}")
    return _blamed(operator)


def _blamed(operator: Operator) -> Operator:
    """The operator whose functions raise BadOperator, whatever they raise."""
    guarded: dict[str, Any] = {name: _guarded(getattr(operator, name), operator.folder) for name in FUNCTIONS}
    if operator.user_shape is not None:
        guarded["user_shape"] = _guarded(operator.user_shape, operator.folder)
    return replace(operator, **guarded)


def _guarded(function: Callable[P, T], folder: Path) -> Callable[P, T]:
    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> T:
        with blaming(folder):
            return function(*arguments, **named)

    return call


def _executed(spec: Path) -> ModuleType:
    """The module of a spec, under a name that no other can have."""
    name = f"operator_{sha256(str(spec).encode()).hexdigest()[:12]}_{spec.parent.name}"
    found = spec_from_file_location(name, spec)
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    sys.modules[name] = module
    try:
        found.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextmanager
def blaming(folder: Path) -> Iterator[None]:
    """Whatever the code in `folder` raises becomes BadOperator, with the line of its own that led there."""
    try:
        yield
    except BenchmarkError:
        raise
    except Exception as fault:  # it is the user's code, and may raise anything
        line = (str(fault).strip().splitlines() or ["no message"])[0]
        raise BadOperator(f"{_place(fault, folder)}: {type(fault).__name__}: {line}") from fault


def _place(fault: Exception, folder: Path) -> str:
    """`spec.py:17`, by its whole path: the last line inside `folder`, or where it is not Python."""
    if isinstance(fault, SyntaxError) and fault.filename:
        return f"{fault.filename}:{fault.lineno}"
    frames = traceback.extract_tb(fault.__traceback__)
    inside = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)]
    return f"{inside[-1].filename}:{inside[-1].lineno}" if inside else str(folder / "spec.py")
