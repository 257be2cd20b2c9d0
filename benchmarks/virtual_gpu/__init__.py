"""How fast the virtual GPU runs kernels."""
