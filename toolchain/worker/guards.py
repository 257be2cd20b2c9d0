"""What of a worker's hardening this machine lacks, found by a process of its own that tries to have it."""

import subprocess
import sys

from cudamaster.toolchain.errors import WorkerBroken
from cudamaster.toolchain.worker.hardening import FILTER, LANDLOCK, NAMESPACES, isolate_from_network
from cudamaster.toolchain.worker.landlock import landlock_version
from cudamaster.toolchain.worker.seccomp import NoFilter, forbid_new_privileges, install_filter

GUARDS = (NAMESPACES, LANDLOCK, FILTER)
TRIAL_SECONDS = 30.0


def missing_guards() -> tuple[str, ...]:
    """Of `GUARDS`, those that are not to be had here. Raises WorkerBroken where that cannot be found out."""
    command = [sys.executable, "-m", __name__]
    tried = subprocess.run(command, capture_output=True, text=True, timeout=TRIAL_SECONDS, check=False)
    if tried.returncode:
        raise WorkerBroken(f"the guards could not be tried:\n{tried.stderr}")
    return tuple(name for name in GUARDS if name in tried.stdout.splitlines())


def _has_filter() -> bool:
    try:
        forbid_new_privileges()
        install_filter()
    except NoFilter:
        return False
    return True


def _main() -> None:
    found = (isolate_from_network(), landlock_version() > 0, _has_filter())
    print("\n".join(name for name, there in zip(GUARDS, found, strict=True) if not there))


if __name__ == "__main__":
    _main()
