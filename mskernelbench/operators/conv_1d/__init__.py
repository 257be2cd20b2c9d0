"""Valid cross-correlation of a signal."""
