"""The bytes behind workloads: arguments and right answers, made once and kept within a limit."""

import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Access as DeviceAccess
from cudamaster.toolchain.arguments import Arguments, Scalar, Tensor
from cudamaster.toolchain.stages import timed
from mskernelbench.answers import Answer, draw_inputs, element_dtype, right_answers
from mskernelbench.operator import (
    Access,
    Arrays,
    Contract,
    Element,
    Kind,
    Operator,
    Parameter,
    Precision,
    Workload,
)
from mskernelbench.poison import poisoned

KEPT_BYTES = 3 * 2**30
"""Arguments kept for the next call; the least recently used are made again when asked for."""


class Materials:
    """Arguments and answers of one operator, precision and seed. Safe to use from several threads."""

    def __init__(
        self, operator: Operator, precision: Precision, seed: int, surprise: int | None = None
    ) -> None:
        self._operator = operator
        self._precision = precision
        self._seed = seed
        self.surprise = surprise or 1 + secrets.randbelow(2**31)
        """A draw that nobody could know before, unless it is given to repeat a verdict: tables of answers for
        a seed end at it."""
        self._arguments: Kept[Arguments] = Kept(KEPT_BYTES, _argument_bytes)
        self._answers: Kept[Mapping[str, Answer]] = Kept(KEPT_BYTES, _answer_bytes)

    def arguments(self, workload: Workload, draw: int = 0) -> Arguments:
        """What the entry is called with; `draw` numbers independent data of the same workload."""
        label = self._label(workload, draw)
        return self._arguments.get(label, lambda: self._make_arguments(workload, draw, label))

    def answers(self, workload: Workload, draw: int = 0) -> Mapping[str, Answer]:
        """The right outputs for `arguments(workload, draw)`."""
        return self._answers.get(self._label(workload, draw), lambda: self._make_answers(workload, draw))

    def _label(self, workload: Workload, draw: int) -> str:
        name = f"{self._operator.name}/{self._precision}/{workload.set}"
        return f"{name}/{workload.label}/seed {self._seed}/draw {draw}"

    def _inputs(self, workload: Workload, draw: int) -> Arrays:
        with timed("inputs"):
            return draw_inputs(self._operator, workload, self._precision, self._seed, draw)

    def _make_answers(self, workload: Workload, draw: int) -> Mapping[str, Answer]:
        inputs = self._inputs(workload, draw)
        with timed("reference"):
            return right_answers(self._operator, workload, inputs, self._precision)

    def _make_arguments(self, workload: Workload, draw: int, label: str) -> Arguments:
        arrays = self._inputs(workload, draw)
        items = tuple(self._argument(p, workload, arrays) for p in self._operator.signature)
        return Arguments(items, label)

    def _argument(self, parameter: Parameter, workload: Workload, arrays: Arrays) -> Tensor | Scalar:
        if parameter.kind is not Kind.TENSOR:
            return self._scalar(parameter, workload, arrays)
        if parameter.name in workload.absent:
            return Scalar(parameter.name, 0, "null")
        if parameter.access is Access.OUTPUT:
            array = self._empty_output(parameter, workload)
        else:
            array = np.ascontiguousarray(arrays[parameter.name])
        return Tensor(parameter.name, array, DeviceAccess(parameter.access.value))

    def _empty_output(self, parameter: Parameter, workload: Workload) -> NDArray[Any]:
        dimensions = self._operator.outputs(workload.shape)[parameter.name]
        dtype = element_dtype(parameter, self._precision)
        if self._operator.contract is Contract.ZEROED:
            return np.broadcast_to(np.zeros(1, dtype), dimensions)
        return poisoned(dimensions, dtype)

    def _scalar(self, parameter: Parameter, workload: Workload, arrays: Arrays) -> Scalar:
        known: Mapping[str, Any] = {**workload.shape, **arrays}
        value = known.get(parameter.name, parameter.default)
        if value is None:
            raise KeyError(f"{self._operator.name}: no value for {parameter.name} in {workload.label}")
        if parameter.kind is Kind.INT:
            return Scalar(parameter.name, int(value), "int")
        is_bf16 = parameter.element is Element.VALUE and self._precision is Precision.BF16
        return Scalar(parameter.name, float(value), "bf16" if is_bf16 else "float")


def _argument_bytes(arguments: Arguments) -> int:
    """In memory, where what fills an output is one element."""
    return sum(tensor.array.nbytes for tensor in arguments.tensors if 0 not in tensor.array.strides)


def _answer_bytes(answers: Mapping[str, Answer]) -> int:
    return sum(answer.reference.nbytes + answer.bound.nbytes for answer in answers.values())


T = TypeVar("T")


class Kept(Generic[T]):
    """Values by key, made once even when several threads ask; beyond a limit the least recent are dropped."""

    def __init__(self, limit_bytes: int, size: Callable[[T], int]) -> None:
        self._limit_bytes = limit_bytes
        self._size = size
        self._values: OrderedDict[str, T] = OrderedDict()
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()

    def get(self, key: str, make: Callable[[], T]) -> T:
        """The value of `key`, from `make` where it is not kept."""
        with self._lock:
            own = self._locks.setdefault(key, Lock())
        with own:
            with self._lock:
                if key in self._values:
                    self._values.move_to_end(key)
                    return self._values[key]
            value = make()
            with self._lock:
                self._values[key] = value
                self._drop()
            return value

    def _drop(self) -> None:
        """Drop the oldest until the rest fits; the newest always stays."""
        total = sum(self._size(value) for value in self._values.values())
        while total > self._limit_bytes and len(self._values) > 1:
            _, oldest = self._values.popitem(last=False)
            total -= self._size(oldest)
