"""matrix_transpose: B = Aᵀ."""
