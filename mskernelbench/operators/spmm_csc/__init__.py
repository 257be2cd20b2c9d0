"""Sparse matrix times matrix, compressed columns."""
