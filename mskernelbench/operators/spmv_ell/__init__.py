"""Sparse matrix times vector, rows padded to one length."""
