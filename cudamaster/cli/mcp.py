"""`cudamaster mcp`: the referee as tools for coding agents."""

from pathlib import Path

import click

from cudamaster.cli import options

EXTRA = "'cudamaster mcp' needs the package mcp: pip install -e '.[mcp]' in the clone"


@click.command("mcp")
@options.operators_dir
@options.spec
@options.device
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where submitted kernels are stored; else CUDAMASTER_RESULTS_DIR, else ./results.",
)
@options.runs_dir
@options.seed
@click.pass_context
def command(
    context: click.Context,
    operators_dir: Path | None,
    spec: Path | None,
    device: str,
    out: Path | None,
    runs_dir: Path | None,
    seed: int,
) -> int:
    """Serve the referee to a coding agent, over stdin and stdout.

    The tools are those of the Model Context Protocol: the agent lists operators, reads a task, has kernels
    judged and profiled, and submits the best. See docs/for-coding-agents.md.
    """
    import sys

    from cudamaster.cli.opening import command_line, opening
    from cudamaster.cli.own_spec import own_of
    from cudamaster.cli.serving.messages import Service
    from cudamaster.config import folders
    from cudamaster.errors import DONE
    from cudamaster.store.atomic import require_writable
    from cudamaster.toolchain.errors import EnvironmentLacks

    try:
        from cudamaster.cli.serving.tools import serve
    except ModuleNotFoundError as lack:
        if (lack.name or "").partition(".")[0] != "mcp":
            raise
        raise EnvironmentLacks(EXTRA) from None
    own = own_of(operators_dir, spec)
    where = folders(runs=runs_dir, results=out)
    by_out, by_runs = out is not None, runs_dir is not None
    require_writable(where.results, "results", "give another with --out", by_option=by_out, leave=False)
    require_writable(where.runs, "runs", "give another with --runs-dir", by_option=by_runs, leave=False)
    line = command_line(sys.argv[1:])
    serve(Service(device, seed, own, where.results.resolve(), where.runs, line), opening(context))
    return DONE
