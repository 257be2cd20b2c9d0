"""Attention of one head without a mask."""
