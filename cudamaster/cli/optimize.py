"""`cudamaster optimize`: search for a faster kernel, and store the best with its proof."""

import math
from pathlib import Path
from typing import Any

import click

from cudamaster.cli import options
from cudamaster.search.method import REFINE, method_names

MOST_CANDIDATES = 16
out_option = click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the best kernel is stored; else CUDAMASTER_RESULTS_DIR, else ./results. With --shape or "
    "--matrix it goes to own-sizes/RUN under it, or stays in the run's folder where --out is left out.",
)
candidates_option = click.option(
    "--candidates",
    default=3,
    show_default=True,
    type=click.IntRange(1, MOST_CANDIDATES),
    help="K: kernels proposed a round, judged in parallel.",
)


def finite(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """A callback that refuses `nan` and `inf`, which no range excludes."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value} is no limit.", context, parameter)
    return value


minutes_option = click.option(
    "--max-minutes",
    type=click.FloatRange(0, min_open=True),
    callback=finite,
    help="Begin no further round after this.",
)

usd_option = click.option(
    "--max-usd",
    type=click.FloatRange(0, min_open=True),
    callback=finite,
    help="Make no call of a language model that could cost more in all.",
)
tokens_option = click.option(
    "--max-tokens", type=click.IntRange(1), help="Make no call that could take more tokens in all."
)

model_option = click.option(
    "--model",
    metavar="MODEL",
    help="Who proposes: builtin (the expert, no language model), the language models openai:NAME and "
    "anthropic:NAME, scripted:FILE (docs/configuration.md) or replay:RUN. Left out, the choice is made and "
    "said.",
)
base_url_option = click.option(
    "--base-url", help="Server of the openai language models, such as http://localhost:8000/v1."
)
protocol_option = click.option(
    "--protocol",
    type=click.Choice(("responses", "chat")),
    help="What it speaks; else its usual one.",
)
from_baseline_option = click.option(
    "--from-baseline", is_flag=True, help="No round of the expert before a language model's."
)
search_option = click.option(
    "--search",
    type=click.Choice(method_names()),
    default=REFINE,
    show_default=True,
    help="What a language model's candidates start from: the best so far (refine), all from the same kernel "
    "(best-of), or parents drawn by reward on islands (evolve).",
)
rounds_option = click.option(
    "--rounds",
    type=click.IntRange(1),
    help="Most rounds; the expert's before a language model's comes on top. Left out: 3, and the expert ends "
    "after one, from the second on, that gains nothing the clock can tell.",
)
no_store_option = click.option(
    "--no-store", is_flag=True, help="Leave the stored results alone; the run's folder keeps its best kernel."
)


@click.command("optimize")
@click.argument("operator")
@options.operators_dir
@options.spec
@options.precision_or_spec
@options.device
@model_option
@base_url_option
@protocol_option
@from_baseline_option
@search_option
@click.option("--no-lessons", is_flag=True, help="Show no earlier run's lessons, and keep none of this.")
@rounds_option
@candidates_option
@minutes_option
@usd_option
@tokens_option
@options.shape
@options.matrix
@out_option
@no_store_option
@options.runs_dir
@options.seed
@options.as_json
@click.pass_context
def command(context: click.Context, /, **asked: Any) -> int:
    """Search for a faster kernel of an operator, and store the best with its proof.

    A team proposes kernels round by round, the referee judges each, the profiler says what binds the best.
    The fastest kernel that is right on every workload is stored with the evidence. Ctrl-C keeps the best so
    far. With --spec, OPERATOR is your own .cu file, the baseline that the spec names.
    """
    from cudamaster.cli.own_spec import named_by, of_kernel
    from cudamaster.cli.session import Request, begin

    spec, operator, precision = asked.pop("spec"), asked["operator"], asked["precision"]
    if spec and operator.endswith(".cu"):
        task = of_kernel(Path(operator), spec, precision)
    else:
        task = named_by(operator, precision, asked["operators_dir"], spec)
    named = {"operator": task.operator, "precision": task.precision, "operators_dir": task.own}
    return begin(context, Request(**asked | named))
