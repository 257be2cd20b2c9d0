"""`cudamaster init-operator`: begin the spec of a kernel of one's own."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cudamaster.cli import options

if TYPE_CHECKING:
    from mskernelbench.overwritten import Overwritten


@click.command("init-operator")
@click.argument("kernel", type=click.Path(path_type=Path))
@options.entry
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.py",
    help="The spec to write; else KERNEL_op.py beside the kernel. Must lie beside it, and not exist.",
)
@click.option(
    "--in-place",
    "in_place",
    multiple=True,
    metavar="NAME",
    help="An array that the kernel reads as well as writes; may be repeated. Those whose first use in a "
    "kernel reads them are found and said; others that are not const are taken as written only.",
)
def command(kernel: Path, entry: str | None, out: Path | None, in_place: tuple[str, ...]) -> int:
    """Begin the spec of a kernel of your own, so that it can be judged and optimized.

    KERNEL is a .cu file with an extern "C" host function. What its arguments say is filled in; what only you
    know (the right answer, its rounding errors, the work it takes) is left open, and named when you try it.
    """
    from cudamaster.cli import console
    from cudamaster.cli.kernel_file import read_kernel
    from cudamaster.errors import DONE
    from mskernelbench.declared_entry import declared_entry
    from mskernelbench.overwritten import overwritten
    from mskernelbench.skeleton import outputs_of, skeleton, with_in_place

    source = read_kernel(kernel)
    declared = declared_entry(source, str(kernel), entry)
    found = [one for one in overwritten(source, outputs_of(declared)) if one.name not in in_place]
    declared = with_in_place(declared, [*in_place, *(one.name for one in found)])
    spec = out or kernel.with_name(f"{kernel.stem}_op.py")
    require_own_name(declared.symbol.lower(), f"{kernel}:{declared.line}")
    write_new(spec, kernel, skeleton(declared, kernel.name, spec.name))
    for one in found:
        console.progress().print(said_of(one, kernel, spec), soft_wrap=True)
    console.results().print(
        f"{spec} says what {declared.name} ({declared.precision}) takes; look for to_do(…) in it, then try\n"
        f"  cudamaster evaluate {kernel} --spec {spec}\n"
        f"  cudamaster optimize {kernel} --spec {spec} --model openai:NAME\n"
        "The built-in expert has strategies for the benchmark's operators only: without a language model, "
        "write the next kernel yourself.",
        soft_wrap=True,
    )
    return DONE


def said_of(found: "Overwritten", kernel: Path, spec: Path) -> str:
    """That an array was taken as in place, why, and what to do where that is wrong."""
    return (
        f"{kernel}:{found.line}: {found.name} is read before it is written, so it is taken as in place; if "
        f'that is wrong, declare it output("{found.name}", …) in {spec}, and leave it out of inputs()'
    )


def require_own_name(name: str, place: str) -> None:
    """Raise UsageError where an operator of the benchmark is called so."""
    from cudamaster.errors import UsageError
    from mskernelbench.catalog import all_operators
    from mskernelbench.user_operators import names_of

    if any(name in names_of(operator) for operator in all_operators()):
        raise UsageError(
            f"{place}: the benchmark has an operator {name}: judge your kernel with '--operator {name}', or "
            "rename its entry where it computes something else"
        )


def write_new(spec: Path, kernel: Path, text: str) -> None:
    """Write the spec beside its kernel. Raises UsageError where a file is there, or it lies elsewhere."""
    from cudamaster.errors import UsageError

    if spec.resolve().parent != kernel.resolve().parent:
        raise UsageError(f"--out {spec} must lie beside {kernel}, which it names")
    try:
        with spec.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{spec} exists: it is kept; give another file with --out") from None
