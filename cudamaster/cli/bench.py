"""`cudamaster bench`: run the team on many tasks, into one result file."""

from pathlib import Path
from typing import Any

import click

from cudamaster.cli import optimize, options


@click.command("bench")
@click.option(
    "--operators",
    default="all",
    show_default=True,
    callback=options.not_empty,
    help="Names or aliases with commas, or all.",
)
@click.option("--precision", default="both", show_default=True, help="fp32, bf16 or both.")
@options.operators_dir
@options.device
@optimize.model_option
@optimize.base_url_option
@optimize.protocol_option
@optimize.from_baseline_option
@optimize.search_option
@optimize.rounds_option
@optimize.candidates_option
@click.option(
    "--max-minutes",
    type=click.FloatRange(0, min_open=True),
    callback=optimize.finite,
    help="Of each task: begin no further round of it after this.",
)
@click.option(
    "--max-usd",
    type=click.FloatRange(0, min_open=True),
    callback=optimize.finite,
    help="Of all tasks: each may spend an equal share.",
)
@click.option("--max-tokens", type=click.IntRange(1), help="Of all tasks: each may take an equal share.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    help="Tasks at once; else one on a GPU, or one a core and for each 5 GiB of free memory.",
)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.json",
    help="The result file. One that is there already is gone on with: finished tasks are not repeated.",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the best kernels are stored; else CUDAMASTER_RESULTS_DIR, else ./results.",
)
@optimize.no_store_option
@options.runs_dir
@options.seed
@options.as_json
@click.pass_context
def command(context: click.Context, /, **asked: Any) -> int:
    """Run the team on many operators, into one result file that can be gone on with.

    A task is an operator at a precision. Ctrl-C, or a killed process, keeps what is done: the same command
    goes on from there. Lessons of other runs are left out, so that the order of tasks changes nothing.
    'cudamaster leaderboard FILE.json' makes tables of it. Exits with 3 where tasks could not be worked on.
    """
    from cudamaster.cli.benching import BenchRequest, bench

    return bench(context, BenchRequest(**asked))
