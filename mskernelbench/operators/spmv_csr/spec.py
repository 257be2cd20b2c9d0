"""spmv_csr: y = A·x for a sparse A in compressed rows; entries of the same place are summed."""

from pathlib import Path

from mskernelbench.sparse_formats import CSR
from mskernelbench.sparse_products import sparse_operator
from mskernelbench.sparse_workloads import SPMV_CHECK, SPMV_REAL, published_rows

OPERATOR = sparse_operator(
    CSR,
    Path(__file__).parent,
    workloads=SPMV_CHECK + published_rows((10, 11, 12, 13, 14, 15)) + SPMV_REAL,
    aliases=("spmv",),
)
