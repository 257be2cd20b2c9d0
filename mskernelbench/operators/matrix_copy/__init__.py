"""matrix_copy: B = A."""
