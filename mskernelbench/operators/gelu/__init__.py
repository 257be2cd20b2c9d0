"""Gaussian error linear unit."""
