"""spmv_coo: y = A·x for a sparse A in coordinates; entries of the same place are summed."""

from pathlib import Path

from mskernelbench.sparse_formats import COO
from mskernelbench.sparse_products import sparse_operator
from mskernelbench.sparse_workloads import SPMV_CHECK, SPMV_MORE, SPMV_REAL, published_rows

OPERATOR = sparse_operator(
    COO,
    Path(__file__).parent,
    workloads=SPMV_CHECK + SPMV_MORE + published_rows((10, 11, 12, 13, 14, 15)) + SPMV_REAL,
)
