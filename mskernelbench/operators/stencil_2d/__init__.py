"""One step of the five-point stencil."""
