"""Sorting a vector in place."""
