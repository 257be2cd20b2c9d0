"""vector_add: C = A + B for vectors of N values."""

from pathlib import Path

import numpy as np

from mskernelbench.exact_maps import VECTOR_CHECK, VECTOR_PAPER, VECTOR_REAL, exact_map, vector
from mskernelbench.operator import Workload, output, size, tensor
from mskernelbench.pieces import along

CHECK = (*VECTOR_CHECK, Workload("check", {"N": 4099}, "ties"))

OPERATOR = exact_map(
    name="vector_add",
    symbol="vector_add",
    title="Vector addition",
    signature=(tensor("A", "N"), tensor("B", "N"), output("C", "N"), size("N")),
    mathematics="C[i] = A[i] + B[i], correctly rounded.",
    source="IEEE 754-2019, section 5.4.1 (addition)",
    folder=Path(__file__).parent,
    workloads=CHECK + VECTOR_PAPER + VECTOR_REAL,
    extents=vector,
    answer=lambda workload, arrays: arrays[0].astype(np.float64) + arrays[1].astype(np.float64),
    flops_a_value=1,
    cut=along(N={"A": 0, "B": 0, "C": 0}),
)
