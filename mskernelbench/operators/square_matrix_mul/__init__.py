"""Product of two square matrices."""
