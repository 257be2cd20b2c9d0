"""`cudamaster web build`: a static site of the stored kernels."""

from pathlib import Path

import click

from cudamaster.cli import options


@click.command("build")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILES]...")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The site's folder."
)
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where kernels are stored; else CUDAMASTER_RESULTS_DIR, else ./results.",
)
@options.runs_dir
@options.operators_dir
def command(
    files: tuple[Path, ...],
    out: Path,
    results: Path | None,
    runs_dir: Path | None,
    operators_dir: Path | None,
) -> int:
    """Write the stored kernels as a static site that asks no other server for anything.

    FILES are result files of 'cudamaster bench', which the leaderboard shows beside the stored kernels. The
    site works from a folder, from any web server and under any path. How a kernel was found is read from
    beside its record, else from its run in --runs-dir. An earlier site in --out is replaced in one step; a
    folder with anything else in it is refused.
    """
    from cudamaster.config import folders
    from cudamaster.config import operators_dir as own
    from cudamaster.errors import DONE
    from cudamaster.web.building import site_files
    from cudamaster.web.site import require_replaceable, resolved, write_site

    require_replaceable(resolved(out))
    where = folders(runs=runs_dir, results=results)
    made = site_files(where.results, files, where.runs, own(operators_dir))
    write_site(out, made)
    megabytes = sum(map(len, made.values())) / 1e6
    click.echo(f"{out / 'index.html'} and {len(made) - 1} other files, {megabytes:.1f} MB")
    return DONE
