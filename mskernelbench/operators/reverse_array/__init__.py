"""reverse_array: a vector back to front."""
