"""Sparse matrix times matrix, rows padded to one length."""
