"""How many small faults in honest kernels the referee finds: `python -m benchmarks.mutation`."""
