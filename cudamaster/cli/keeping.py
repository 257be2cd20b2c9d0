"""Where best kernels are to be kept: proved to be writable before anything is begun, and said."""

from pathlib import Path

from cudamaster.errors import UsageError
from cudamaster.report.figures import times
from cudamaster.search.settings import Settings
from cudamaster.search.storing import place_name
from cudamaster.store.atomic import require_writable
from cudamaster.store.results import OWN_SIZES, folder_of, read_stored
from cudamaster.toolchain.device import Device

IN_THE_RUN = "in the run's folder alone, as best/kernel.cu"


def require_place(results: Path, given: Path | None, option: str, *, no_store: bool) -> None:
    """Raise UsageError, FolderUnwritable where the results folder, `given` by that option, is of no use."""
    if no_store and given is not None:
        raise UsageError(f"--no-store stores nothing, and {option} says where to: give one of them")
    if not no_store:
        mend = f"give another with {option}, or --no-store"
        require_writable(results, "results", mend, by_option=given is not None, leave=False)


def kept_of_run(settings: Settings, device: Device) -> str:
    """Where the best kernel of one run is to lie."""
    place = place_name(device.name, device.spec.name)
    results = folder_of(Path(settings.results), place, settings.operator, settings.precision)
    if settings.on_own_workloads:
        return f"the best kernel in {results / OWN_SIZES}" if settings.results_asked else _in_the_run()
    if not settings.store:
        return _in_the_run()
    return f"the best kernel in {results}{_unless(results)} (--no-store: {IN_THE_RUN})"


def _unless(place: Path) -> str:
    """What keeps a kernel from being stored. Raises BrokenStore where nobody can tell."""
    present = read_stored(place)
    if present is None:
        return ""
    return f", where one with {times(present.speedup)} lies: unless that is as fast"


def _in_the_run() -> str:
    return f"the best kernel {IN_THE_RUN}"


def kept_of_suite(results: Path, *, no_store: bool) -> str:
    """Where the best kernels of a suite's runs are to lie."""
    if no_store:
        return "the best kernels in the runs' folders alone"
    unless = "unless ones as fast, as far as the clock can tell, are there"
    return f"the best kernels in {results.resolve()}, {unless} (--results, --no-store)"
