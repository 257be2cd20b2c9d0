"""A user's own operator, as CONTRIBUTING.md shows it, written to a folder."""

from pathlib import Path

from tests.mskernelbench.contributing import shown

SPEC = shown("triple/spec.py")
BASELINES = {f"baseline_{p}.cu": shown(f"triple/baseline_{p}.cu") for p in ("fp32", "bf16")}


def write_operator(folder: Path, name: str = "triple", spec: str = SPEC) -> None:
    """The operator in `folder`/`name`."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "spec.py").write_text(spec)
    for file, source in BASELINES.items():
        (place / file).write_text(source.replace("void triple", f"void {name}"))
