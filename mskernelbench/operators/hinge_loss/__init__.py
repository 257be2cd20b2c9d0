"""Hinge loss of every prediction."""
