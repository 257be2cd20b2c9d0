"""Product of a matrix and a vector."""
