"""Composite rule of Simpson over equidistant samples."""
