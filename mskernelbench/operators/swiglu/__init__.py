"""Gated linear unit with a swish gate."""
