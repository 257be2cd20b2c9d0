"""Guards that look at a checked call."""
