"""spmv_ell: y = A·x for a sparse A in rows padded to one length; entries of the same place are summed."""

from pathlib import Path

from mskernelbench.sparse_formats import ELL
from mskernelbench.sparse_products import sparse_operator
from mskernelbench.sparse_workloads import SPMV_CHECK, SPMV_MORE, SPMV_REAL_ELL, published_columns

OPERATOR = sparse_operator(
    ELL,
    Path(__file__).parent,
    workloads=SPMV_CHECK + SPMV_MORE + published_columns((10, 11, 12, 13, 14, 15)) + SPMV_REAL_ELL,
)
