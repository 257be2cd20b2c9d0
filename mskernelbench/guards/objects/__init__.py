"""Guards that look at the compiled object."""
