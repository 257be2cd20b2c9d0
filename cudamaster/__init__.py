"""CUDAMaster: a team of agents that makes CUDA kernels faster, and a referee that proves it."""
