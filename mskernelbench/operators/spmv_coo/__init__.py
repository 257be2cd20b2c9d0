"""Sparse matrix times vector, coordinates."""
