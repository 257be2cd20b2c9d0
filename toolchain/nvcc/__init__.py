"""nvcc: where it is, what a candidate may ask of it, and a kernel's way through it into the build cache."""
