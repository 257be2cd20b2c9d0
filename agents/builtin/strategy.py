"""One strategy of the playbook: when it helps, what it predicts, its tuning parameters and their limits."""

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cudamaster.agents.builtin.expression import evaluate
from cudamaster.agents.errors import BadStrategy
from cudamaster.toolchain.spec import DeviceSpec
from mskernelbench.operator import Precision

Setting = Mapping[str, int]
"""A value for every tuning parameter."""

STATIC_SHARED_BYTES = 48 * 1024
"""Shared memory a block may declare statically, on every device."""
MOST_THREADS = 1024
"""Threads a block, on every device."""
UNKNOWN_GAIN = 0.0
"""Expected gain where the file says nothing about a bound."""


@dataclass(frozen=True, slots=True)
class TuningParameter:
    """One number that the template leaves open."""

    name: str
    values: tuple[int, ...]
    """What it may be, in order; neighbours in this list are neighbouring settings."""
    default: int
    precisions: tuple[Precision, ...]
    """Where the template has it."""
    chooses: bool = False
    """Whether it only says which sizes get which kernel, so that at one size there is hardly a difference."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A metric of the baseline's profile that makes the strategy more, or less, promising."""

    metric: str
    adds: float
    """To the expected gain."""
    above: float | None = None
    below: float | None = None

    def holds(self, metrics: Mapping[str, float]) -> bool:
        """Whether the profile shows it; not when the metric is absent."""
        value = metrics.get(self.metric)
        if value is None:
            return False
        return (self.above is None or value > self.above) and (self.below is None or value < self.below)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a setting needs of the device, as expressions over the parameters and VALUE_BYTES."""

    threads: str
    """Threads a block."""
    static_shared_bytes: str = "0"
    dynamic_shared_bytes: str = "0"
    requires: Sequence[str] = ()
    """What must hold between the parameters."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to make an operator faster, with the template that writes it."""

    name: str
    """Its folder's name; the bandit's arm."""
    family: str
    """The folder above."""
    title: str
    change: str
    """What it changes, as the plan will say."""
    reason: str
    """Which bottleneck that answers, and how."""
    operators: tuple[str, ...]
    precisions: tuple[Precision, ...]
    predicted_metric: str
    predicted_direction: str
    gain: Mapping[Precision, Mapping[str, float]]
    """Expected log2 speedup over a plain kernel, by precision and by the plain kernel's bound."""
    evidence: tuple[Evidence, ...]
    parameters: tuple[TuningParameter, ...]
    limits: Limits
    fallback: str | None
    """The strategy to fall back to where this one cannot run."""

    @property
    def template(self) -> str:
        """The template's name, relative to the playbook."""
        return f"{self.family}/{self.name}/kernel.cu.j2"

    def applies(self, operator: str, precision: Precision) -> bool:
        """Whether its template writes this operator in this precision."""
        return operator in self.operators and precision in self.precisions

    def prior(self, precision: Precision, bound: str | None, metrics: Mapping[str, float]) -> float:
        """Expected log2 speedup, from the baseline's bound (None: unknown) and metrics."""
        gains = self.gain[precision]
        expected = gains.get(bound, UNKNOWN_GAIN) if bound else sum(gains.values()) / len(gains)
        return expected + sum(e.adds for e in self.evidence if e.holds(metrics))

    def open_parameters(self, precision: Precision) -> tuple[TuningParameter, ...]:
        """The parameters that the template has in this precision."""
        return tuple(p for p in self.parameters if precision in p.precisions)

    def settings(self, precision: Precision, spec: DeviceSpec) -> Iterator[Setting]:
        """Every setting that the device can run."""
        parameters = self.open_parameters(precision)
        for values in itertools.product(*(p.values for p in parameters)):
            setting = {p.name: value for p, value in zip(parameters, values, strict=True)}
            if self.fits(setting, precision, spec):
                yield setting

    def fits(self, setting: Setting, precision: Precision, spec: DeviceSpec) -> bool:
        """Whether the setting keeps within the device's limits and the template's own."""
        names = {**setting, "VALUE_BYTES": precision.value_bytes}
        limits = self.limits
        return (
            all(evaluate(rule, names) for rule in limits.requires)
            and 32 <= evaluate(limits.threads, names) <= MOST_THREADS
            and evaluate(limits.static_shared_bytes, names) <= STATIC_SHARED_BYTES
            and evaluate(limits.dynamic_shared_bytes, names) <= spec.shared_bytes_per_block
        )

    def size(self, setting: Setting, precision: Precision) -> int:
        """Bytes of a multiprocessor that a block takes: its shared memory and 128 registers a thread."""
        names = {**setting, "VALUE_BYTES": precision.value_bytes}
        limits = self.limits
        shared = evaluate(limits.static_shared_bytes, names) + evaluate(limits.dynamic_shared_bytes, names)
        return shared + 512 * evaluate(limits.threads, names)

    def default(self, precision: Precision, spec: DeviceSpec) -> Setting | None:
        """The setting to try first: the declared one, or the nearest that the device can run."""
        declared = {p.name: p.default for p in self.open_parameters(precision)}
        fitting = self.settings(precision, spec)
        return min(fitting, key=lambda s: self.distance(s, declared), default=None)

    def changed(self, one: Setting, other: Setting) -> frozenset[str]:
        """Names of the parameters in which two settings differ."""
        return frozenset(name for name in one if one[name] != other[name])

    def distance(self, one: Setting, other: Setting) -> int:
        """Steps through the parameters' values that lie between two settings."""
        ranks = {p.name: p.values for p in self.parameters}
        return sum(abs(ranks[name].index(one[name]) - ranks[name].index(other[name])) for name in one)


def read_strategy(folder: Path) -> Strategy:
    """The strategy declared in `folder/strategy.toml`. Raises BadStrategy for a wrong file."""
    file = folder / "strategy.toml"
    try:
        return _strategy(folder, tomllib.loads(file.read_text(encoding="utf-8")))
    except KeyError as lack:
        raise BadStrategy(f"{file} lacks the key '{lack.args[0]}'") from lack
    except (AttributeError, TypeError, ValueError) as wrong:
        raise BadStrategy(f"{file} cannot be read: {wrong}") from wrong


def _strategy(folder: Path, data: Mapping[str, Any]) -> Strategy:
    """The file's content; KeyError carries the full name of a missing key, such as `predicts.metric`."""
    precisions = tuple(Precision(p) for p in _key(data, "precisions"))
    return Strategy(
        name=folder.name,
        family=folder.parent.name,
        title=_key(data, "title"),
        change=_key(data, "change"),
        reason=_key(data, "reason"),
        operators=tuple(_key(data, "operators")),
        precisions=precisions,
        predicted_metric=_key(data, "predicts.metric"),
        predicted_direction=_key(data, "predicts.direction"),
        gain={p: _key(data, f"gain.{p}") for p in precisions},
        evidence=tuple(Evidence(**item) for item in data.get("evidence", ())),
        parameters=tuple(_parameter(name, p, precisions) for name, p in _key(data, "parameters").items()),
        limits=Limits(**{"threads": _key(data, "limits.threads")} | data["limits"]),
        fallback=data.get("fallback"),
    )


def _key(data: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path. Raises KeyError with the whole path."""
    value: Any = data
    for name in path.split("."):
        if name not in value:
            raise KeyError(path)
        value = value[name]
    return value


def _parameter(name: str, data: Mapping[str, Any], precisions: tuple[Precision, ...]) -> TuningParameter:
    """One entry of `[parameters]`."""
    for key in ("values", "default"):
        if key not in data:
            raise KeyError(f"parameters.{name}.{key}")
    values, default = tuple(data["values"]), data["default"]
    if default not in values:
        raise ValueError(f"{name}: the default {default} is not among {values}")
    only = tuple(Precision(p) for p in data["precisions"]) if "precisions" in data else precisions
    return TuningParameter(name, values, default, only, data.get("chooses", False))
