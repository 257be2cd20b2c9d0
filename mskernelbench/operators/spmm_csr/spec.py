"""spmm_csr: Y = A·X, A sparse in compressed rows; entries of the same place are summed."""

from pathlib import Path

from mskernelbench.sparse_formats import CSR
from mskernelbench.sparse_products import sparse_operator
from mskernelbench.sparse_workloads import SPMM_CHECK, SPMM_REAL, published_rows

OPERATOR = sparse_operator(
    CSR,
    Path(__file__).parent,
    workloads=SPMM_CHECK + published_rows((10, 12, 14, 16, 18), columns=4096) + SPMM_REAL,
    aliases=("spmm",),
)
