"""spmm_coo: Y = A·X, A sparse in coordinates; entries of the same place are summed."""

from pathlib import Path

from mskernelbench.sparse_formats import COO
from mskernelbench.sparse_products import sparse_operator
from mskernelbench.sparse_workloads import SPMM_CHECK, SPMM_REAL, published_rows

OPERATOR = sparse_operator(
    COO,
    Path(__file__).parent,
    workloads=SPMM_CHECK + published_rows((8, 10, 12, 14, 16), columns=4096) + SPMM_REAL,
)
