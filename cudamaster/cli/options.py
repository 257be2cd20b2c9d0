"""Options that several commands share."""

from pathlib import Path

import click

LARGEST_SEED = 2**63 - 1
as_json = click.option("--json", "as_json", is_flag=True, help="Write one JSON document to stdout.")
device = click.option(
    "--device",
    default="auto",
    show_default=True,
    help="auto, cuda, cuda:1, cuda:0,1, cuda:all, or virtual[:GPU] such as virtual:h200; cuda:0,shared "
    "takes a GPU that others use too.",
)
precision = click.option("--precision", required=True, help="fp32 or bf16.")
precision_or_spec = click.option(
    "--precision", help="fp32 or bf16; may be left out with a --spec that has one baseline."
)
operator_or_spec = click.option("--operator", help="An operator's name or alias, such as spmv_csr.")


def not_empty(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A callback that refuses an empty text, which would read as if the option were left out."""
    if value is not None and not value.strip():
        raise click.BadParameter("it is empty.", context, parameter)
    return value


entry = click.option(
    "--entry", callback=not_empty, help='The extern "C" function to call, where the file has several.'
)
seed = click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(0, LARGEST_SEED),
    help="Inputs and choices follow from it.",
)
SETS = ("check", "paper", "real")
sets = click.option(
    "--workloads",
    metavar="SETS",
    help="Sets to judge on, with commas; else check,paper,real, and check,paper over a published baseline.",
)
shape = click.option(
    "--shape",
    "shapes",
    multiple=True,
    metavar="M=64,N=2048",
    help="Time these sizes instead of the operator's sets; may be repeated. 'cudamaster operators' shows the "
    "names of each; a sparse one takes rows, cols, pattern and one of nnz, nnz_per_row, density. One "
    "that was printed may be given back, in quotes: 'rows=9 cols=9 nnz=33 poisson5', or its pattern alone "
    "where no other is so.",
)
matrix = click.option(
    "--matrix",
    "matrices",
    multiple=True,
    type=click.Path(path_type=Path, resolve_path=True),
    metavar="FILE.mtx[.gz]",
    help="Time this Matrix Market file (sparse operators) instead of the operator's sets; may be repeated. "
    "SpMM multiplies it by 128 columns, or by as many as stand after it: FILE.mtx:K=64.",
)
baseline = click.option(
    "--baseline",
    type=click.Choice(("fair", "published")),
    default="fair",
    show_default=True,
    help="Compare with our plain kernel, or with one that wastes as much as the published benchmark's.",
)
operators_dir = click.option(
    "--operators-dir",
    type=click.Path(path_type=Path, resolve_path=True),
    metavar="DIR",
    help="A folder of operators of your own, one folder each; else CUDAMASTER_OPERATORS_DIR.",
)
spec = click.option(
    "--spec",
    type=click.Path(path_type=Path, resolve_path=True),
    metavar="FILE.py",
    help="An operator of your own, in one file; 'cudamaster init-operator KERNEL.cu' begins one.",
)
runs_dir = click.option(
    "--runs-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where runs are kept; else CUDAMASTER_RUNS_DIR, else the user's data folder.",
)


def parse_sets(text: str | None, over: str = "fair") -> tuple[str, ...]:
    """`check,paper` as names; what is usual over that baseline where nothing is given. Raises UnknownName.

    The published kernels were made for the paper's sizes; some would run for minutes on others.
    """
    from cudamaster.errors import UnknownName

    if text is None:
        return SETS if over == "fair" else SETS[:2]
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names or (text,):
        if name not in SETS:
            raise UnknownName("workload set", name, SETS)
    return names
