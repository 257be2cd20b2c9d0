"""Causal attention for every channel by itself, with a mask."""
