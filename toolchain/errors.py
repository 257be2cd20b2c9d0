"""The toolchain's exceptions: our own faults and the environment's, never a candidate's.

    ToolchainError
    ├── EnvironmentLacks      something this machine would need (nvcc, a driver, a compiler): exit code 3
    ├── UnknownDevice         a device name nobody implements: exit code 2
    ├── ClockMismatch         a modelled and a measured time were about to be compared
    ├── WorkerBroken          our own worker process misbehaved without running a candidate
    └── DriverFailed          NVIDIA's driver refused a call

A candidate that fails to build, crashes or hangs is a value (`Build`, `RunFailure`), not an exception.
"""


class ToolchainError(Exception):
    """The root of the tree."""


class EnvironmentLacks(ToolchainError):
    """The machine lacks something; the message says what, and how to get it."""


class UnknownDevice(ToolchainError):
    """No device has this name; the message lists those that exist."""


class ClockMismatch(ToolchainError):
    """Two times of different clocks cannot be compared."""


class WorkerBroken(ToolchainError):
    """The worker process broke before or outside candidate code."""


class DriverFailed(ToolchainError):
    """NVIDIA's driver refused the call `function` with the error named `error`, number `code`."""

    def __init__(self, function: str, error: str, code: int) -> None:
        super().__init__(f"{function} failed: {error} ({code})")
        self.function = function
        self.error = error
        self.code = code
