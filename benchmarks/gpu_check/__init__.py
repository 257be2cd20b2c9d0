"""Proves a real GPU in minutes, and calibrates its model: `make gpu-check`."""
