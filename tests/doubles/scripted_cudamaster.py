"""The command line on a scripted suite, as a program: relu is found slower where SCRIPTED_SLOW is set."""

import os
import sys

from cudamaster.cli.boundary import exit_code_of
from tests.doubles.scripted_bench import BenchOpening
from tests.doubles.scripted_run import source

if __name__ == "__main__":
    scripts = {"relu": [[source("slower", speedup=1.5)]]} if os.environ.get("SCRIPTED_SLOW") else {}
    sys.exit(exit_code_of(sys.argv[1:], BenchOpening(scripts=scripts)))
