"""Valid cross-correlation of an image of one channel."""
