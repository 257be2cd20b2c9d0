"""vector_add: C = A + B."""
