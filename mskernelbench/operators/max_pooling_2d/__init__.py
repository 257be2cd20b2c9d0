"""Largest value under a sliding window of an image."""
