"""The sub-commands of `cudamaster web`."""
