"""Guards that look at a time."""
