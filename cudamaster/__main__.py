"""`python -m cudamaster` is the `cudamaster` command."""

from cudamaster.cli import main

if __name__ == "__main__":
    main()
