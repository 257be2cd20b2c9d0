"""Exponential linear unit."""
