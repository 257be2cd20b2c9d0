"""`python -m benchmarks.gpu_check`: checks a GPU in bounded time, and keeps what it measured.

Every part runs in a process of its own, so that nothing that hangs or crashes there costs the others. What is
done is on disk at once; begun again, a check goes on where it was.
"""

import json
import os
import shlex
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import click
from rich.console import Console

from benchmarks.gpu_check.building import building_ahead
from benchmarks.gpu_check.children import GRACE_SECONDS, end_when_asked, end_with_parent, run_children
from benchmarks.gpu_check.document import MEASUREMENTS, NotMeasured, document, keep_measurement
from benchmarks.gpu_check.identity import identity_of
from benchmarks.gpu_check.kept_rows import DOCUMENT, OtherCheck, begin, rows_of
from benchmarks.gpu_check.nouns import SIZES, Part, Row, Session
from benchmarks.gpu_check.parts import PARTS
from benchmarks.gpu_check.running import run_part
from benchmarks.gpu_check.telling import proven, summary
from cudamaster.store.atomic import write_atomically
from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.devices.cuda.profiling_fallback import open_model
from cudamaster.toolchain.errors import ToolchainError
from cudamaster.toolchain.nvcc.finder import find_toolchain
from cudamaster.toolchain.worker.hardening import UNFILTERED
from mskernelbench.affordable import Limits
from mskernelbench.catalog import operator_names

ENVIRONMENT_LACKS = 3
WORKERS = max(2, (os.cpu_count() or 1) // 3)
"""Each may keep two processors busy with a modelled GPU; the rest is for what measures."""
SWITCH_SECONDS = 2e-4
"""After which a thread that prepares gives way: a call of the driver lets go of Python's lock, and would wait
5 ms for it."""
WRITE_SECONDS = 10.0
SMALL = Limits(flops=2**24, dram_bytes=2**22)
"""For dry runs on a virtual GPU."""


class Asked(NamedTuple):
    """What every part is told."""

    device: str
    operators: tuple[str, ...]
    seed: int
    sizes: Limits


@click.command()
@click.option("--device", default="cuda:0", show_default=True, help="The GPU; a virtual one for a dry run.")
@click.option("--only", help="Parts to run, with commas: " + ", ".join(part.name for part in PARTS) + ".")
@click.option("--out", type=click.Path(path_type=Path), help="Where rows are kept; gpu-check.")
@click.option(
    "--minutes", default=5.0, show_default=True, type=click.FloatRange(min=1), help="For all parts together."
)
@click.option("--operators", help="Only these, with commas.")
@click.option("--seed", default=0, show_default=True)
@click.option("--small", is_flag=True, help="Small workloads, for dry runs.")
@click.option("--child", "seconds", type=float, hidden=True, help="Run the one part here, for so long.")
def main(
    device: str, only: str | None, out: Path | None, minutes: float, operators: str | None, seed: int,
    small: bool, seconds: float | None,
) -> None:  # fmt: skip
    """Check a GPU: contract, gauntlet, baselines, stored results, and how well its model agrees.

    Exits with 1 where something failed or is wrong, with 3 where there is no such GPU.
    """
    folder = out or Path("gpu-check")
    parts = chosen_parts(only)
    asked = Asked(device, chosen_operators(operators), seed, SMALL if small else SIZES)
    try:
        if seconds is not None:
            end_when_asked()
            end_with_parent()
            sys.setswitchinterval(SWITCH_SECONDS)
            run_here(parts[0], folder, asked, seconds)
            return
        with devices(device) as (opened, model):
            architecture = opened.spec.architecture
            begin(folder, identity_of(opened, model, asked.seed) | {"sizes": asdict(asked.sizes)})
    except (ToolchainError, OtherCheck) as lacking:
        click.echo(f"gpu-check: {lacking}", err=True)
        sys.exit(ENVIRONMENT_LACKS)
    end_when_asked()
    with building_ahead(parts, asked.operators, architecture, find_toolchain()):
        whole = run_all(parts, 60.0 * minutes - GRACE_SECONDS, folder)
        right = finish(folder, parts)
    sys.exit(0 if whole and right else 1)


def run_all(parts: Sequence[Part], seconds: float, folder: Path) -> bool:
    """All parts, and the document kept up to date; whether nobody ended them before their time."""
    try:
        with kept_up_to_date(folder, parts):
            run_children(parts, seconds, folder, child_command)
    except (KeyboardInterrupt, SystemExit):
        click.echo("gpu-check: ended before its time; begun again with the same --out it goes on", err=True)
        return False
    return True


@contextmanager
def kept_up_to_date(folder: Path, parts: Sequence[Part], seconds: float = WRITE_SECONDS) -> Iterator[None]:
    """In the block the document is written at once and then every `seconds`: who kills us loses no more."""
    ended = threading.Event()

    def keep_writing() -> None:
        while not ended.wait(seconds):
            write_document(folder, parts)

    write_document(folder, parts)
    writer = threading.Thread(target=keep_writing, daemon=True)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()


def chosen_parts(only: str | None) -> tuple[Part, ...]:
    """The parts of these names, in order of value."""
    names = only.split(",") if only else [part.name for part in PARTS]
    if unknown := set(names) - {part.name for part in PARTS}:
        raise click.BadParameter(f"no part is called {sorted(unknown)[0]!r}", param_hint="--only")
    return tuple(part for part in PARTS if part.name in names)


def chosen_operators(names: str | None) -> tuple[str, ...]:
    """Those of these names; all where none is given."""
    chosen = tuple(names.split(",")) if names else operator_names()
    if unknown := set(chosen) - set(operator_names()):
        raise click.BadParameter(f"no operator is called {sorted(unknown)[0]!r}", param_hint="--operators")
    return chosen


@contextmanager
def devices(name: str) -> Iterator[tuple[Device, Device]]:
    """The device to check, and its model. Raises EnvironmentLacks, UnknownDevice."""
    with ExitStack() as stack:
        device = open_device(name)
        stack.callback(device.close)
        model = open_model(device.spec)
        stack.callback(model.close)
        yield device, model


def run_here(part: Part, folder: Path, asked: Asked, seconds: float) -> None:
    """One part in this process."""
    with ExitStack() as opened, ThreadPoolExecutor(WORKERS) as pool:
        device, model = opened.enter_context(devices(asked.device))
        if not part.opens_device:
            opened.close()
        session = Session(device, model, pool, asked.operators, asked.seed, asked.sizes, seconds)
        run_part(part, session, folder, lambda row: tell(part, row))


def tell(part: Part, row: Row) -> None:
    """One line, at once."""
    reason = f": {row['reason']}" if row.get("reason") else ""
    click.echo(f"{part.name:10} {row['status']:8} {row['seconds']:6.1f} s  {row['key']}{reason}")


def child_command(part: Part, seconds: float) -> list[str]:
    """This same command, for one part."""
    command = [sys.executable, "-m", "benchmarks.gpu_check", *sys.argv[1:]]
    return [*command, "--only", part.name, "--child", f"{seconds:.1f}"]


def write_document(folder: Path, asked: Sequence[Part]) -> Row:
    """What was found so far, now and before, as one file beside the rows, and in $OUT where that is set."""
    parts = [part for part in PARTS if part in asked or rows_of(folder, part.name)]
    command = shlex.join(["python", "-m", "benchmarks.gpu_check", *sys.argv[1:]])
    told = document(folder, parts, command, datetime.now(UTC))
    for place in {folder, Path(os.environ.get("OUT", folder))}:
        place.mkdir(parents=True, exist_ok=True)
        write_atomically(place / DOCUMENT, (json.dumps(told, indent=1) + "\n").encode())
    return told


def finish(folder: Path, asked: Sequence[Part]) -> bool:
    """Tell what was found, now and before, and keep it where it was measured; whether nothing is wrong."""
    told = write_document(folder, asked)
    Console().print(summary(told))
    try:
        click.echo(f"measurements: {keep_measurement(told, MEASUREMENTS)}")
    except NotMeasured as stood_in:
        click.echo(f"gpu-check: {stood_in}")
    return proven(told)


if __name__ == "__main__":
    os.environ.setdefault(UNFILTERED, "1")  # kernels here are ours: rather without the filter than not at all
    main()
