"""Scaled exponential linear unit."""
