"""Inclusive prefix sums of a vector."""
