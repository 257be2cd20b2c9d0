"""MSKernelBench: operators, their references and baselines, and the referee that judges kernels for them."""
