"""Nouns to plain JSON values and back, without loss; not the published documents, which drop fields."""

import math
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Json = dict[str, Any]
T = TypeVar("T")


class Malformed(ValueError):
    """A value that `encode` did not make of this kind."""


def encode(value: Any) -> Any:
    """`value` as JSON values; a float that JSON lacks becomes the string `inf`, `-inf` or `nan`."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(float(value))
    return value


def decode(kind: type[T], value: Any) -> T:
    """The `kind` that `encode` made `value` from. Raises Malformed where it is another thing."""
    with well_formed():
        return cast(T, _decode(kind, value))


@contextmanager
def well_formed() -> Iterator[None]:
    """Raise Malformed where what is read inside lacks a field or holds another kind of value."""
    try:
        yield
    except KeyError as fault:
        raise Malformed(f"{fault} is missing") from fault
    except (TypeError, ValueError, AttributeError, OverflowError) as fault:
        raise Malformed(str(fault)) from fault


def _decode(kind: Any, value: Any) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _decode_union(get_args(kind), value)
    if origin is tuple:
        return _decode_tuple(get_args(kind), value)
    if origin is not None and issubclass(origin, Mapping):
        return {key: _decode(get_args(kind)[1], item) for key, item in value.items()}
    if is_dataclass(kind):
        _require(isinstance(value, Mapping), "an object", value)
        return cast(Any, kind)(
            **{n: _decode(t, value[n]) for n, t in _hints(cast(Any, kind)).items() if n in value}
        )
    if isinstance(kind, type) and issubclass(kind, Enum | float):
        return kind(value)
    if kind in PLAIN:
        _require(type(value) is kind, PLAIN[kind], value)
    return value


PLAIN: Mapping[Any, str] = {int: "a whole number", str: "a text", bool: "true or false"}


def _require(right: bool, wanted: str, value: Any) -> None:
    if not right:
        raise TypeError(f"{value!r} is not {wanted}")


def _decode_union(kinds: tuple[Any, ...], value: Any) -> Any:
    if value is None:
        return None
    named = [kind for kind in kinds if kind is not type(None)]
    if len(named) == 1:
        return _decode(named[0], value)
    return value if not isinstance(value, str) or str in named else float(value)


def _decode_tuple(kinds: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    _require(isinstance(value, list | tuple), "a list", value)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_decode(kinds[0], item) for item in value)
    return tuple(_decode(kind, item) for kind, item in zip(kinds, value, strict=True))


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return {f.name: get_type_hints(kind)[f.name] for f in fields(kind) if f.init}
