"""Structures of sparse matrices: row and column ids by the name of a pattern, from integer draws only."""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, expm1, log1p
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """Where a matrix has entries, in compressed rows; ids are unsorted within a row and may repeat."""

    offsets: Ids
    """rows + 1 positions: row i's entries lie at offsets[i] … offsets[i+1]."""
    columns: Ids
    """Column id of every entry."""

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Entries of every row."""
        offsets = self.offsets.astype(np.int64)
        return offsets[1:] - offsets[:-1]


Pattern: TypeAlias = Callable[[int, int, int, np.random.Generator], Structure]
"""Makes a structure of `rows`, `cols` and exactly `nnz` entries."""


def from_lengths(lengths: NDArray[np.int64], columns: NDArray[np.integer]) -> Structure:
    """Rows of these lengths over these column ids."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return Structure(offsets.astype(np.int32), columns.astype(np.int32, copy=False))


def gathered(rows: NDArray[np.integer], columns: NDArray[np.integer], count: int) -> Structure:
    """Entries in any order, sorted by row and column; `count` rows."""
    keys = np.sort((rows.astype(np.uint64) << np.uint64(32)) | columns.astype(np.uint64))
    return from_lengths(np.bincount(rows, minlength=count), (keys & np.uint64(2**32 - 1)).astype(np.int32))


def uniform(rows: int, cols: int, nnz: int, rng: np.random.Generator) -> Structure:
    """Rows and columns drawn with replacement."""
    lengths = np.bincount(rng.integers(0, rows, nnz), minlength=rows)
    return from_lengths(lengths, rng.integers(0, cols, nnz, dtype=np.int32))


def empty_rows(rows: int, cols: int, nnz: int, rng: np.random.Generator) -> Structure:
    """Entries only in every fifth row from the third; the first, the last and runs of rows are empty."""
    filled = np.arange(2, max(rows - 1, 3), 5)
    chosen = filled[rng.integers(0, len(filled), nnz)]
    return from_lengths(np.bincount(chosen, minlength=rows), rng.integers(0, cols, nnz, dtype=np.int32))


def dense_row(rows: int, cols: int, nnz: int, rng: np.random.Generator) -> Structure:
    """One full row in the middle, the rest as in `uniform`."""
    lengths = np.bincount(rng.integers(0, rows, nnz - cols), minlength=rows)
    middle = rows // 2
    before = int(lengths[:middle].sum())
    lengths[middle] += cols
    others = rng.integers(0, cols, nnz - cols)
    return from_lengths(lengths, np.insert(others, before, np.arange(cols)))


def dense_column(rows: int, cols: int, nnz: int, rng: np.random.Generator) -> Structure:
    """One full column in the middle, the rest as in `uniform`."""
    lengths = np.bincount(rng.integers(0, rows, nnz - rows), minlength=rows)
    others = rng.integers(0, cols, nnz - rows)
    return from_lengths(lengths + 1, np.insert(others, np.cumsum(lengths) - lengths, cols // 2))


def rmat(rows: int, cols: int, nnz: int, rng: np.random.Generator) -> Structure:
    """Power-law rows and columns: R-MAT with quadrants .57, .19, .19, .05 (Chakrabarti et al., 2004, SDM)."""
    row, column = rmat_places(rows, cols, nnz, rng)
    return gathered(row, column, rows)


def graph(rows: int, cols: int, nnz: int, rng: np.random.Generator) -> Structure:
    """R-MAT with shuffled ids, as the Graph500 benchmark has them: its longest rows may lie anywhere."""
    row, column = rmat_places(rows, cols, nnz, rng)
    row_ids = rng.permutation(rows)
    column_ids = row_ids if rows == cols else rng.permutation(cols)
    return gathered(row_ids[row], column_ids[column], rows)


def rmat_places(rows: int, cols: int, nnz: int, rng: np.random.Generator) -> tuple[Ids, Ids]:
    """Row and column of every entry of an R-MAT matrix, as drawn."""
    row, column = np.zeros(nnz, np.int32), np.zeros(nnz, np.int32)
    for _ in range(rmat_levels(rows, cols)):
        quadrant = QUADRANTS[rng.integers(0, 256, nnz, dtype=np.uint8)]
        row += row + (quadrant >> 1)
        column += column + (quadrant & 1)
    return row % rows, column % cols


def rmat_filled(count: int, levels: int, nnz: int) -> int:
    """About how many of `count` rows (or columns, alike) `nnz` draws of R-MAT leave with an entry.

    A row whose id has j ones among its `levels` bits is drawn with probability q^j·(1 − q)^(levels − j), q
    being the share of the two lower quadrants.
    """
    lower = float((QUADRANTS >> 1).mean())
    filled = sum(
        comb(levels, ones) * hit(lower**ones * (1 - lower) ** (levels - ones), nnz)
        for ones in range(levels + 1)
    )
    return min(count, int(filled))


def hit(probability: float, draws: int) -> float:
    """How likely it is that something of this probability comes up in so many draws."""
    return -expm1(draws * log1p(-probability)) if probability < 1 else float(draws > 0)


def rmat_levels(rows: int, cols: int) -> int:
    """Bits of the larger side's ids."""
    return max(int(max(rows, cols) - 1).bit_length(), 1)


QUADRANTS = np.repeat(np.arange(4, dtype=np.int8), (146, 49, 49, 12))
"""R-MAT's quadrant for each of 256 equal draws: bit 1 for the lower rows, bit 0 for the right columns."""


def banded(rows: int, cols: int, nnz: int, rng: np.random.Generator) -> Structure:
    """Every row holds nnz/rows consecutive columns around the diagonal, the first nnz mod rows one more."""
    lengths = np.full(rows, nnz // rows)
    lengths[: nnz % rows] += 1
    width = int(lengths.max(initial=0))
    start = np.clip(np.arange(rows) * cols // rows - width // 2, 0, max(cols - width, 0))
    ids = start[:, None] + np.arange(width)
    return from_lengths(lengths, ids[np.arange(width) < lengths[:, None]] % cols)


def block_diagonal(rows: int, cols: int, nnz: int, rng: np.random.Generator) -> Structure:
    """Eight blocks along the diagonal; a row's entries are drawn from its block's columns."""
    row = np.sort(rng.integers(0, rows, nnz))
    blocks = min(8, rows, cols)
    block = row * blocks // rows
    low, high = block * cols // blocks, (block + 1) * cols // blocks
    ids = low + rng.integers(0, 1 << 30, nnz) % (high - low)
    return from_lengths(np.bincount(row, minlength=rows), ids)


def one_each(rows: int, cols: int, nnz: int, rng: np.random.Generator) -> Structure:
    """One entry in every row; nnz is rows. The last row's lies in the last column."""
    ids = rng.integers(0, cols, rows)
    ids[-1] = cols - 1
    return from_lengths(np.ones(rows, np.int64), ids)


def even_columns(rows: int, cols: int, nnz: int, rng: np.random.Generator) -> Structure:
    """As `uniform`, in columns of even number only."""
    lengths = np.bincount(rng.integers(0, rows, nnz), minlength=rows)
    return from_lengths(lengths, 2 * rng.integers(0, (cols + 1) // 2, nnz))


def poisson(side: int, dimensions: int) -> Structure:
    """The 5-point (two dimensions) or 7-point (three) Laplacian of a grid, columns ascending."""
    cells = side**dimensions
    here = np.arange(cells, dtype=np.int32)
    steps = [side**d for d in range(dimensions)]
    candidates = np.empty((cells, 2 * dimensions + 1), np.int32)
    present = np.ones(candidates.shape, bool)
    for d, step in enumerate(steps):
        place = here // step % side
        low, high = dimensions - 1 - d, dimensions + 1 + d
        candidates[:, low], present[:, low] = here - step, place > 0
        candidates[:, high], present[:, high] = here + step, place < side - 1
    candidates[:, dimensions] = here
    return from_lengths(present.sum(axis=1), candidates[present])


def poisson_nnz(side: int, dimensions: int) -> int:
    """Entries of `poisson`: each cell, and both ends of each of the d·(side−1)·side^(d−1) links."""
    return int(side**dimensions + 2 * dimensions * (side - 1) * side ** (dimensions - 1))


def poisson5(rows: int, cols: int, nnz: int, rng: np.random.Generator) -> Structure:
    """Two-dimensional Poisson problem on a square grid of `rows` cells."""
    return poisson(round(rows ** (1 / 2)), 2)


def poisson7(rows: int, cols: int, nnz: int, rng: np.random.Generator) -> Structure:
    """Three-dimensional Poisson problem on a cubic grid of `rows` cells."""
    return poisson(round(rows ** (1 / 3)), 3)


PATTERNS: dict[str, Pattern] = {
    "uniform": uniform,
    "empty_rows": empty_rows,
    "dense_row": dense_row,
    "dense_column": dense_column,
    "rmat": rmat,
    "graph": graph,
    "banded": banded,
    "block_diagonal": block_diagonal,
    "one_each": one_each,
    "even_columns": even_columns,
    "poisson5": poisson5,
    "poisson7": poisson7,
}
"""By the names that workloads and `--shape pattern=` use."""

IN_ORDER = frozenset({"banded", "poisson5", "poisson7"})
"""Patterns of discretised equations: programs make their entries row by row, those of others in any order."""
