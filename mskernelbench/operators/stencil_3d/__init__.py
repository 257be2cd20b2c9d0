"""One step of the seven-point stencil."""
