"""Dot product of two vectors."""
