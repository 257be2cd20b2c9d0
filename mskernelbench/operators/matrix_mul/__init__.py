"""Product of two matrices."""
