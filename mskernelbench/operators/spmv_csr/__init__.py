"""Sparse matrix times vector, compressed rows."""
