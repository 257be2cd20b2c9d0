"""The real GPU, reached through cuda-bindings in a worker process."""
