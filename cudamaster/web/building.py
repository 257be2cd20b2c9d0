"""Makes the files of a site from stored kernels and result files."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cudamaster.errors import UsageError
from cudamaster.leaderboard.entries import Entry, read_entries
from cudamaster.store.codec import Malformed, well_formed
from cudamaster.store.results import KERNEL, RECORD, STORY
from cudamaster.store.runs import list_runs
from cudamaster.web.exhibits import Exhibit, read_exhibits
from cudamaster.web.pages.index import index_page
from cudamaster.web.pages.kernel import PAGE, kernel_page
from mskernelbench.catalog import operator_names

BASELINE = "baseline.cu"
Files = Mapping[str, bytes]
"""Contents by path within the site."""


def site_files(
    results: Path,
    files: Sequence[Path] = (),
    runs: Path | None = None,
    own: Path | None = None,
    runs_page: str = "",
) -> Files:
    """Every file of the site of a results folder and of result files of `cudamaster bench`.

    `runs_page` is where runs are shown, where they are served beside the site.
    Raises UsageError where there is nothing to show, or a file is unsound.
    """
    exhibits = read_exhibits(results, runs, own)
    if not exhibits and not files:
        raise UsageError(
            f"{results} holds no stored kernels (DEVICE/OPERATOR/PRECISION/{RECORD}): name another with "
            "--results, or find one with 'cudamaster optimize OPERATOR --precision P'"
        )
    entries, why = _entries(results, exhibits, files)
    names = {run.name for run in list_runs(runs)} if runs and runs_page else set[str]()
    made = {PAGE: index_page(exhibits, entries, why, runs_page, names).encode()}
    for exhibit in exhibits:
        made |= {f"{exhibit.place}/{name}": content for name, content in _of_kernel(exhibit)}
    return made


def _entries(results: Path, exhibits: Sequence[Exhibit], files: Sequence[Path]) -> tuple[list[Entry], str]:
    """What takes part in the leaderboard; where nothing does, why."""
    stored = {e.evaluation["operator"] for e in exhibits if not e.on_own_sizes}
    if not stored.intersection(operator_names()):
        strange = f"{', '.join(sorted(stored))} are none of its operators"
        why = strange if stored else "no kernel is stored on its sizes"
        return read_entries(files), f"There is no table over the benchmark: {why}."
    return read_entries([results, *files]), ""


def _of_kernel(exhibit: Exhibit) -> Iterator[tuple[str, bytes]]:
    try:
        with well_formed():
            yield PAGE, kernel_page(exhibit).encode()
    except Malformed as fault:
        beside = f" or the {STORY} beside it" if exhibit.story else ""
        raise UsageError(f"{exhibit.origin}{beside} cannot be right: {fault}; mend or delete it") from fault
    yield KERNEL, exhibit.kernel.encode()
    if exhibit.baseline is not None:
        yield BASELINE, exhibit.baseline.encode()
    for name, document in ((RECORD, exhibit.record), (STORY, exhibit.story)):
        if document is not None:
            yield name, f"{json.dumps(document, indent=1)}\n".encode()
