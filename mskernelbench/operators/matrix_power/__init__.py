"""Power of a square matrix."""
