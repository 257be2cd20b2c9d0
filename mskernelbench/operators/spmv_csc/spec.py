"""spmv_csc: y = A·x for a sparse A in compressed columns; entries of the same place are summed."""

from pathlib import Path

from mskernelbench.sparse_formats import CSC
from mskernelbench.sparse_products import sparse_operator
from mskernelbench.sparse_workloads import SPMV_CHECK, SPMV_MORE, SPMV_REAL, published_columns

OPERATOR = sparse_operator(
    CSC,
    Path(__file__).parent,
    workloads=SPMV_CHECK + SPMV_MORE + published_columns((10, 11, 12, 13, 14, 15)) + SPMV_REAL,
)
