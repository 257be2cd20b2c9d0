"""matrix_scalar_mul: B = s·A."""
