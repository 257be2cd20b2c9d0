"""Softmax of every row."""
