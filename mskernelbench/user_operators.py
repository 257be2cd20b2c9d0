"""A user's own operators: a folder laid out as ours, one folder each with a `spec.py`, or one spec file."""

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
from mskernelbench.to_do import ToDo

P = ParamSpec("P")
T = TypeVar("T")

FOLDERS_SPEC = "spec.py"
"""In a folder of its own, beside its baselines; a file of any other name is a spec that names them."""
FUNCTIONS = ("inputs", "outputs", "reference", "rounding", "flops", "dram_bytes", "weight")
"""The fields of an operator that are its author's code."""


def user_operators(folder: Path, ours: Sequence[Operator]) -> tuple[Operator, ...]:
    """The operators in `folder`, by name; that of a spec where a file is given.

    Raises BadOperator where there is none, where one has a name of `ours`, or where a spec is broken: then
    the message begins with its file and line.
    """
    specs = [folder] if folder.is_file() else sorted(folder.glob(f"*/{FOLDERS_SPEC}"))
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
    place = spec.parent if spec.name == FOLDERS_SPEC else spec
    with blaming(place):
        operator = _executed(spec).OPERATOR
        if not isinstance(operator, Operator):
            raise BadOperator(f"{spec}: OPERATOR is no Operator of mskernelbench.operator")
        missing = lacks(operator)
    if missing:
        raise BadOperator(f"{spec}: {'; '.join(missing)}")
    return _blamed(operator, place)


def _blamed(operator: Operator, place: Path) -> Operator:
    """The operator whose functions raise BadOperator, whatever they raise."""
    guarded: dict[str, Any] = {name: _guarded(getattr(operator, name), place) for name in FUNCTIONS}
    if operator.user_shape is not None:
        guarded["user_shape"] = _guarded(operator.user_shape, place)
    return replace(operator, **guarded)


def _guarded(function: Callable[P, T], place: Path) -> Callable[P, T]:
    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> T:
        with blaming(place):
            return function(*arguments, **named)

    return call


def _executed(spec: Path) -> ModuleType:
    """The module of a spec, under a name that no other can have."""
    if spec.suffix != ".py":
        raise BadOperator(
            f"{spec} is no Python file: a spec ends in .py, as 'cudamaster init-operator' writes it"
        )
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
def blaming(place: Path) -> Iterator[None]:
    """Whatever the code in `place`, a folder or a file, raises becomes BadOperator, with its last line."""
    try:
        yield
    except BenchmarkError:
        raise
    except ToDo as missing:
        raise BadOperator(f"{_place(missing, place)}: {missing}") from missing
    except Exception as fault:  # it is the user's code, and may raise anything
        line = (str(fault).strip().splitlines() or ["no message"])[0]
        raise BadOperator(f"{_place(fault, place)}: {type(fault).__name__}: {line}") from fault


def _place(fault: Exception, place: Path) -> str:
    """`spec.py:17`, by its whole path: the last line inside `place`, or where it is not Python."""
    if isinstance(fault, SyntaxError) and fault.filename:
        return f"{fault.filename}:{fault.lineno}"
    frames = traceback.extract_tb(fault.__traceback__)
    inside = [frame for frame in frames if Path(frame.filename).is_relative_to(place)]
    spec = place / FOLDERS_SPEC if place.is_dir() else place
    return f"{inside[-1].filename}:{inside[-1].lineno}" if inside else str(spec)
