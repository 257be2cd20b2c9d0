"""Workloads that the sparse operators share: check sets, published sizes, matrices as users meet them."""

from mskernelbench.matrices import poisson_nnz
from mskernelbench.operator import Workload
from mskernelbench.sparse_shapes import rmat_sizes, sizes

SPMV_CHECK = (
    Workload("check", sizes(1, 1, 1), pattern="uniform"),
    Workload("check", sizes(33, 5, 0), pattern="uniform"),
    Workload("check", sizes(257, 129, 3001), pattern="uniform"),
    Workload("check", sizes(101, 67, 600), pattern="empty_rows"),
    Workload("check", sizes(65, 1500, 2500), "shifted", "dense_row"),
    Workload("check", sizes(9, 5003, 5100), "shifted", "dense_row"),
    Workload("check", sizes(1000, 512, 8191), "mixed", "rmat"),
    Workload("check", sizes(1031, 2056, 9001), pattern="uniform"),
    Workload("check", sizes(301, 300, 1505), pattern="banded"),
    Workload("check", sizes(96, 104, 1024), "unread_nan", "even_columns"),
    Workload("check", sizes(512, 511, 6000), "integers", "rmat", exact=True),
    Workload("check", sizes(331, 97, 331), "one_hot", "one_each"),
    Workload("check", sizes(128, 128, 999), "nan_read", "block_diagonal"),
    Workload("check", sizes(65_601, 65_609, 70_001), pattern="uniform"),
)
SPMV_MORE = (
    Workload("check", sizes(1, 300, 500), pattern="uniform"),
    Workload("check", sizes(2053, 71, 4001), pattern="uniform"),
    Workload("check", sizes(37, 999, 1250), "shifted", "dense_column"),
    Workload("check", sizes(5003, 7, 5100), "shifted", "dense_column"),
    Workload("check", sizes(128, 64, 600), "nan_first", "rmat"),
)
"""Further ones for the formats in which a column or a slot can be wrong alone."""

SPMM_CHECK = (
    Workload("check", sizes(1, 1, 1, K=1), pattern="uniform"),
    Workload("check", sizes(1, 120, 200, K=65), pattern="uniform"),
    Workload("check", sizes(33, 5, 0, K=7), pattern="uniform"),
    Workload("check", sizes(67, 129, 1001, K=33), pattern="uniform"),
    Workload("check", sizes(51, 67, 300, K=64), pattern="empty_rows"),
    Workload("check", sizes(33, 300, 900, K=17), "shifted", "dense_row"),
    Workload("check", sizes(300, 37, 901, K=15), "shifted", "dense_column"),
    Workload("check", sizes(5, 5003, 5060, K=3), "shifted", "dense_row"),
    Workload("check", sizes(5003, 5, 5060, K=3), "shifted", "dense_column"),
    Workload("check", sizes(200, 100, 1023, K=31), "mixed", "rmat"),
    Workload("check", sizes(17, 24, 200, K=264), pattern="block_diagonal"),
    Workload("check", sizes(2053, 29, 4001, K=3), pattern="uniform"),
    Workload("check", sizes(29, 2056, 900, K=1), pattern="uniform"),
    Workload("check", sizes(5, 7, 20, K=4099), pattern="uniform"),
    Workload("check", sizes(101, 100, 505, K=16), pattern="banded"),
    Workload("check", sizes(64, 72, 500, K=24), "unread_nan", "even_columns"),
    Workload("check", sizes(96, 95, 1100, K=40), "integers", "rmat", exact=True),
    Workload("check", sizes(81, 33, 81, K=41), "one_hot", "one_each"),
    Workload("check", sizes(64, 64, 400, K=23), "nan_read", "block_diagonal"),
    Workload("check", sizes(64, 32, 300, K=9), "nan_first", "rmat"),
    Workload("check", sizes(65_601, 65_609, 70_001, K=2), pattern="uniform"),
)

BANDED = Workload("real", sizes(1_000_003, 1_000_003, 11_000_033), "shifted", "banded")
POISSON_2D = Workload("real", sizes(1024**2, 1024**2, poisson_nnz(1024, 2)), "shifted", "poisson5")
RMAT = Workload("real", sizes(2**20, 2**20, 2**23), "shifted", "rmat")
UNIFORM = Workload("real", sizes(2**20, 2**20, 2**23), "shifted", "uniform")
POISSON_3D_ELL = Workload("real", sizes(229**3, 229**3, poisson_nnz(229, 3)), "shifted", "poisson7")
POISSON_3D = Workload("real", sizes(217**3, 217**3, poisson_nnz(217, 3)), "shifted", "poisson7")

SPMV_REAL = (BANDED, POISSON_2D, RMAT, POISSON_3D)
SPMV_REAL_ELL = (BANDED, POISSON_2D, UNIFORM, POISSON_3D_ELL)
"""Without R-MAT: its longest row has thousands of entries, to which ELL would pad a million rows."""

PRUNED = Workload("real", sizes(4096, 11008, 4096 * 11008 // 20, K=333), "shifted", "uniform")
"""A layer of a language model of which one weight in twenty is left, and 333 tokens."""
POISSON_BLOCK = Workload("real", sizes(1024**2, 1024**2, poisson_nnz(1024, 2), K=16), "shifted", "poisson5")
"""A block of 16 vectors, as block Krylov methods multiply."""
POISSON_WIDE = Workload("real", sizes(160**3, 160**3, poisson_nnz(160, 3), K=40), "shifted", "poisson7")
GRAPH = Workload("real", rmat_sizes(sizes(2**20, 2**20, 2**23, K=128)), "shifted", "graph")
"""A graph of a million nodes with 128 features each; its hubs lie anywhere, as in real ones."""
DRAWN = Workload("real", sizes(2**20, 2**20, 2**23, K=128), "shifted", "uniform")

SPMM_REAL = (PRUNED, POISSON_BLOCK, POISSON_WIDE, GRAPH)
SPMM_REAL_ELL = (PRUNED, POISSON_BLOCK, POISSON_WIDE, DRAWN)
"""Without R-MAT, as for SpMV."""


def published_rows(exponents: tuple[int, ...], columns: int = 0) -> tuple[Workload, ...]:
    """2^e rows of 2048 columns, 1 % of them drawn, and K = `columns` of a dense operand that has any."""
    return tuple(_published(2**e, 2048, columns) for e in exponents)


def published_columns(exponents: tuple[int, ...], columns: int = 0) -> tuple[Workload, ...]:
    """2048 rows of 2^e columns, likewise."""
    return tuple(_published(2048, 2**e, columns) for e in exponents)


def _published(rows: int, cols: int, columns: int) -> Workload:
    return Workload("paper", sizes(rows, cols, rows * cols // 100, columns), "shifted", "uniform")
