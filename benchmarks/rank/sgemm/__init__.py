"""A published series of FP32 matrix products, modelled."""
