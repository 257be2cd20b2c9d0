"""Sparse matrix times matrix, compressed rows."""
