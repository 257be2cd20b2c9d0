"""Logistic function."""
