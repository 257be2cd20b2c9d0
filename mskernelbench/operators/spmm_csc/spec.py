"""spmm_csc: Y = A·X, A sparse in compressed columns; entries of the same place are summed."""

from pathlib import Path

from mskernelbench.sparse_formats import CSC
from mskernelbench.sparse_products import sparse_operator
from mskernelbench.sparse_workloads import SPMM_CHECK, SPMM_REAL, published_columns

OPERATOR = sparse_operator(
    CSC,
    Path(__file__).parent,
    workloads=SPMM_CHECK + published_columns((10, 11, 12, 13, 14), columns=4096) + SPMM_REAL,
)
