"""`python -m benchmarks.gpu_check.calibrate gpu-check.json`: a check's document becomes the model's factor.

The document is kept among the measurements first, since the factor names it.
"""

import json
import re
import sys
from importlib.resources import files
from pathlib import Path

import click

from benchmarks.gpu_check.document import MEASUREMENTS, SCHEMA, NotMeasured, keep_measurement
from benchmarks.gpu_check.nouns import Row
from cudamaster.search.evidence import model_digest
from cudamaster.toolchain.devices.virtual import specs
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.errors import UnknownDevice

FACTORS = Path(str(files(specs))) / "calibration.toml"
LEAST_TIMES = 30
"""From which on the median of factors is worth keeping."""
USAGE = 2
PLACE = click.Path(path_type=Path)


class NoFactor(Exception):
    """Why a document gives no factor, in one sentence."""


@click.command()
@click.argument("document", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--factors", default=FACTORS, type=click.Path(exists=True, path_type=Path), help="What is written."
)
@click.option(
    "--measurements", default=MEASUREMENTS, type=click.Path(path_type=Path), help="Where it is kept."
)
def main(document: Path, factors: Path, measurements: Path) -> None:
    """Keep DOCUMENT, the gpu-check.json of a GPU, and write the factor that it gives the GPU's model.

    Exits with 2 where it gives none.
    """
    try:
        told = read(document)
        name, factor = factor_of(told)
        kept = keep_measurement(told, measurements)
    except (NotMeasured, NoFactor, UnknownDevice) as reason:
        click.echo(f"calibrate: {reason}", err=True)
        sys.exit(USAGE)
    factors.write_text(with_factor(factors.read_text(), name, factor, source(told, kept)))
    click.echo(f"measurements: {kept}\n{factors}: {name} = {factor:.4g}")


def read(document: Path) -> Row:
    """A check's document. Raises NoFactor for another file."""
    try:
        told = json.loads(document.read_text())
    except ValueError as fault:
        raise NoFactor(f"{document} is no JSON ({fault}); give the gpu-check.json of a check") from fault
    if not isinstance(told, dict) or told.get("schema") != SCHEMA:
        raise NoFactor(f"{document} is no {SCHEMA}; give the gpu-check.json of a check")
    return told


def factor_of(told: Row) -> tuple[str, float]:
    """The modelled GPU, and its new factor: what it had when it was measured, times what was found.

    Raises NoFactor where the model is another now, or too little was measured.
    """
    name = str(told["model"]["device"]).rpartition(":")[2]
    if told["model"]["version"] != model_digest():
        raise NoFactor(
            "the model has changed since the check: run it again, or calibrate from the commit it was made at"
        )
    found = told["agreement"]["calibration"]
    if found is None or found["times"] < LEAST_TIMES:
        times = told["agreement"]["times"]
        raise NoFactor(
            f"{times} times are too few for a factor, go on with the check: it takes {LEAST_TIMES}"
        )
    return name, load_gpu(name).model.calibration * found["factor"]


def source(told: Row, kept: Path) -> str:
    """What the factor rests on, in a comment's words."""
    found = told["agreement"]["calibration"]
    low, high = found["quartiles"]
    return f"{kept.name}: {found['times']} times, half of them {low:.3g} to {high:.3g} x modelled"


def with_factor(text: str, name: str, factor: float, words: str) -> str:
    """The table with this GPU's line replaced; everything else stays. Raises NoFactor without such a line."""
    line = f"{name} = {factor:.4g}  # {words}"
    changed, lines = re.subn(rf"(?m)^{re.escape(name)} = .*$", lambda _: line, text)
    if lines != 1:
        raise NoFactor(f"the factors have no line of {name}")
    return changed


if __name__ == "__main__":
    main()
