"""spmm_ell: Y = A·X, A sparse in rows padded to one length; entries of the same place are summed."""

from pathlib import Path

from mskernelbench.sparse_formats import ELL
from mskernelbench.sparse_products import sparse_operator
from mskernelbench.sparse_workloads import SPMM_CHECK, SPMM_REAL_ELL, published_columns

OPERATOR = sparse_operator(
    ELL,
    Path(__file__).parent,
    workloads=SPMM_CHECK + published_columns((10, 11, 12, 13, 14), columns=4096) + SPMM_REAL_ELL,
)
