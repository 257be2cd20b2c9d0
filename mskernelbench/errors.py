"""The benchmark's exceptions: the user's mistakes and our own faults, never a candidate's.

BenchmarkError
├── UnknownOperator       no operator has this name; the message lists the nearest
├── UnknownPrecision      neither fp32 nor bf16
├── BadOperator           a user's own operator that is broken, incomplete or called as one of ours
├── BadShape              a `--shape` or matrix file that the operator cannot be given
├── BaselineMissing       an operator's folder lacks the baseline of a precision
├── NoEntry               a `.cu` file that no operator can be begun from
├── BaselineBroken        our own baseline did not build, run or agree with the reference
│   └── BaselineLate          it did not end in time: this machine is too slow for it now
├── PackageMissing        a Python package that only some work needs, and this machine lacks
└── UnsteadyClock         a GPU whose clock changes so much that its times prove nothing
"""


class BenchmarkError(Exception):
    """The root of the tree."""


class UnknownOperator(BenchmarkError):
    """No operator has this name; the message lists the nearest names."""


class UnknownPrecision(BenchmarkError):
    """No precision has this name."""


class BadOperator(BenchmarkError):
    """A user's own operator cannot be used; the message names its file, and its line where it has one."""


class BadShape(BenchmarkError):
    """A shape or matrix that the operator cannot be given; the message says what it needs."""


class BaselineMissing(BenchmarkError):
    """An operator's folder lacks the baseline of a precision; the message names the file."""


class NoEntry(BenchmarkError):
    """A file has no entry, several, or one whose arguments no operator can have; the message says where."""


class BaselineBroken(BenchmarkError):
    """Our own baseline failed, so that nothing can be compared with it on this device."""


class BaselineLate(BaselineBroken):
    """Our own baseline did not end in time; the message says how busy this machine is."""


class PackageMissing(BenchmarkError):
    """A Python package is missing that only some work needs; the message says which, and for what."""


class UnsteadyClock(BenchmarkError):
    """A GPU slows down too often, or tells a kernel from its copy: no speedup is claimed from its times."""
