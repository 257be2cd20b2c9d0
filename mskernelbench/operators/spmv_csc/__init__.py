"""Sparse matrix times vector, compressed columns."""
