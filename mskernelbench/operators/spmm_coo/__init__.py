"""Sparse matrix times matrix, coordinates."""
