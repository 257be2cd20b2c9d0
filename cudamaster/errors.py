"""The application's exceptions: each is one sentence for the user, and an exit code.

    CudamasterError
    ├── UsageError                 the request cannot be followed as written: exit code 2
    │   ├── UnknownName            an operator, precision, device or model nobody knows; names the nearest
    │   ├── UnreadableKernel       a `.cu` file that cannot be judged: missing, empty, binary, no entry
    │   ├── RunNotFound            no stored run has this name
    │   ├── RunBusy                another process works on this run
    │   ├── GroundChanged          a run's verdicts are not comparable with those of this machine or version
    │   ├── RunDamaged             a run's journal was changed, so that the run cannot go on
    │   ├── FolderUnwritable       a folder that must be written cannot be; 3 where no option named it
    │   └── BadConfig              the configuration file cannot be read or says something unknown
    ├── NoKey                      a language model was asked for and its API key is missing: exit code 3
    ├── TeamFailed                 a role, or the model it asks, cannot do what it is asked: exit code 3
    ├── BrokenStore                a stored file does not say what it should: exit code 3
    └── Interrupted                the user asked to stop; the best so far is kept: exit code 130

A candidate that fails is a value (`mskernelbench.evaluation`), never one of these.
"""

from collections.abc import Iterable
from difflib import get_close_matches

DONE = 0
REFUSED = 1
USAGE = 2
ENVIRONMENT = 3
INTERNAL = 70
"""`EX_SOFTWARE` of sysexits.h: our own fault."""
INTERRUPTED = 130


class CudamasterError(Exception):
    """The root of the tree. The message says what, where, and how to mend it."""

    exit_code = INTERNAL


class UsageError(CudamasterError):
    """The request cannot be followed as written."""

    exit_code = USAGE


class UnknownName(UsageError):
    """A name nobody knows."""

    def __init__(self, kind: str, name: str, known: Iterable[str], see: str = "") -> None:
        names = sorted(known)
        lowered = {candidate.lower(): candidate for candidate in names}
        near = [lowered[n] for n in get_close_matches(name.lower(), lowered, n=3, cutoff=0.5)]
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}."
        super().__init__(f"unknown {kind} '{name}': {hint}{' ' + see if see else ''}")


class UnreadableKernel(UsageError):
    """A kernel file that cannot be judged."""


class RunNotFound(UsageError):
    """No stored run has this name."""


class RunBusy(UsageError):
    """Another process works on this run."""


class GroundChanged(UsageError):
    """What a run's verdicts rest on is no longer the same."""


class RunDamaged(UsageError):
    """A run's journal was changed, so that the run cannot go on."""

    def __init__(self, run: str, fault: str) -> None:
        super().__init__(f"the journal of run {run} is damaged: {fault}; start a new run")


class FolderUnwritable(UsageError):
    """A folder that must be written cannot be; `exit_code` says whether an option named it."""

    def __init__(self, message: str, *, by_option: bool = True) -> None:
        super().__init__(message)
        self.exit_code = USAGE if by_option else ENVIRONMENT


class BadConfig(UsageError):
    """The configuration file cannot be read, or says something unknown."""


class NoKey(CudamasterError):
    """A language model was asked for, and its API key is missing; the message names the variable."""

    exit_code = ENVIRONMENT


class TeamFailed(CudamasterError):
    """A role of the team, or the model that it asks, cannot do what it is asked."""

    exit_code = ENVIRONMENT

    def __init__(self, run: str, fault: Exception) -> None:
        ended = str(fault) if str(fault).endswith((".", "?", "!")) else f"{fault}."
        super().__init__(f"{ended} What was paid for is kept: 'cudamaster resume {run}' goes on")


class BrokenStore(CudamasterError):
    """A stored file does not say what it should."""

    exit_code = ENVIRONMENT


class Interrupted(CudamasterError):
    """The user asked to stop."""

    exit_code = INTERRUPTED
