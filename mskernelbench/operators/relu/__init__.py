"""Rectified linear unit."""
