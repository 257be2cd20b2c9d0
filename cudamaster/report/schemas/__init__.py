"""JSON schemas of what `cudamaster export` writes, one file a format."""
