"""Batch normalisation of columns."""
