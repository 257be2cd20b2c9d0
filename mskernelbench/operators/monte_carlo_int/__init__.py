"""Mean of samples times the width of the interval."""
