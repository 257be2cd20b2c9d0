"""Hyperbolic tangent."""
