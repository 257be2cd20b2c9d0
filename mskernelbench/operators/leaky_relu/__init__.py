"""Rectified linear unit with a slope below zero."""
