"""The ways to search, one module each: what `--search` offers is what this folder holds."""
