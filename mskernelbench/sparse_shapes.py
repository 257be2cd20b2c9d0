"""The user's own sparse matrices: sizes, density and pattern from `--shape` texts."""

from collections.abc import Mapping
from math import isqrt

from mskernelbench.errors import BadShape
from mskernelbench.matrices import PATTERNS, poisson_nnz, rmat_filled, rmat_levels
from mskernelbench.operator import Shape, Workload

USER_PATTERNS = ("uniform", "banded", "poisson5", "poisson7", "rmat")
COUNTS = ("nnz", "nnz_per_row", "density")
"""Three ways to say how many entries are stored; exactly one is given."""
NAMES = ("rows", "cols", *COUNTS, "pattern")
FILLED = ("filled_rows", "filled_cols")
"""What reports print of an R-MAT matrix besides: it follows from the rest."""
OF_A_FILE = "file"
"""What reports print for a pattern where a matrix was read."""
EXAMPLE = "rows=4096,cols=2048,nnz_per_row=20,pattern=rmat"
WIDE_EXAMPLE = "rows=4096,cols=2048,K=64,nnz_per_row=20,pattern=rmat"


def sparse_workload(given: Mapping[str, str], *, is_wide: bool = False) -> Workload:
    """A `user` workload from named texts, with K where the dense operand `is_wide`.

    Raises BadShape for what is missing, unknown or contradictory.
    """
    names, example = ((*NAMES, "K"), WIDE_EXAMPLE) if is_wide else (NAMES, EXAMPLE)
    if unknown := sorted(set(given) - {*names, *FILLED}):
        raise BadShape(
            f"a sparse matrix has no {unknown[0]!r}; it takes {', '.join(names)}, such as {example}"
        )
    columns = {"K": whole(given, "K", example)} if is_wide else {}
    pattern = given.get("pattern", "uniform")
    if pattern == OF_A_FILE:
        raise BadShape(
            "the entries of a matrix that was read do not follow from its sizes: give --matrix FILE"
        )
    if pattern not in USER_PATTERNS:
        raise BadShape(f"no pattern is called {pattern!r}; there are {', '.join(USER_PATTERNS)}")
    assert pattern in PATTERNS
    shape = _sizes(given, pattern, columns)
    for name in FILLED:
        if name in given and given[name] != str(shape.get(name)):
            raise BadShape(f"{name} follows from the rest; leave it out")
    return Workload("user", shape, "shifted", pattern)


def _sizes(given: Mapping[str, str], pattern: str, columns: Mapping[str, int]) -> Shape:
    if pattern.startswith("poisson"):
        return sizes(**_poisson(given, pattern), **columns)
    rows = whole(given, "rows")
    cols = whole(given, "cols") if "cols" in given else rows
    shape = sizes(rows, cols, _entries(given, rows, cols), **columns)
    return rmat_sizes(shape) if pattern == "rmat" else shape


def sizes(rows: int, cols: int, nnz: int, K: int = 0) -> Shape:  # noqa: N803
    """Rows, columns, stored entries, and K columns of a dense operand that has any."""
    return {"rows": rows, "cols": cols, **({"K": K} if K else {}), "nnz": nnz}


def rmat_sizes(shape: Shape) -> Shape:
    """`shape` of an R-MAT matrix, with how many rows and columns hold entries where K makes them count."""
    if "K" not in shape:
        return shape
    rows, cols, nnz = (int(shape[name]) for name in ("rows", "cols", "nnz"))
    levels = rmat_levels(rows, cols)
    return {
        **shape,
        "filled_rows": rmat_filled(rows, levels, nnz),
        "filled_cols": rmat_filled(cols, levels, nnz),
    }


def whole(given: Mapping[str, str], name: str, example: str = EXAMPLE) -> int:
    """The positive 32-bit number called `name`. Raises BadShape, with an `example` that holds it."""
    if name not in given:
        raise BadShape(f"{name} is missing, as in {example}")
    try:
        value = int(given[name])
    except ValueError:
        raise BadShape(f"{name}={given[name]} is not a whole number") from None
    if not 0 < value < 2**31:
        raise BadShape(f"{name}={value} does not lie between 1 and 2^31 − 1")
    return value


def _entries(given: Mapping[str, str], rows: int, cols: int) -> int:
    """Stored entries from `nnz`, `nnz_per_row` or `density`, exactly one of them."""
    said = [name for name in COUNTS if name in given]
    if len(said) != 1:
        raise BadShape(f"give one of nnz, nnz_per_row and density, as in {EXAMPLE}")
    name = said[0]
    if name == "nnz":
        return whole(given, name)
    try:
        number = float(given[name])
    except ValueError:
        raise BadShape(f"{name}={given[name]} is not a number") from None
    if name == "density" and number > 1:
        raise BadShape(f"density={given[name]} is a share of the matrix, and does not lie between 0 and 1")
    nnz = round(number * rows * (1 if name == "nnz_per_row" else cols)) if 0 <= number < 2**31 else -1
    if not 0 <= nnz < 2**31:
        raise BadShape(f"{name}={given[name]} gives a number of entries outside 0 … 2^31 − 1")
    return nnz


def _poisson(given: Mapping[str, str], pattern: str) -> dict[str, int]:
    """Sizes of a square or cubic grid's matrix of `rows` cells; everything follows from them."""
    dimensions = 2 if pattern == "poisson5" else 3
    rows = whole(given, "rows")
    side = isqrt(rows) if dimensions == 2 else round(rows ** (1 / 3))
    if side**dimensions != rows:
        raise BadShape(f"{pattern} needs rows = n^{dimensions}; {rows} is not, {side**dimensions} would be")
    fixed = {"rows": rows, "cols": rows, "nnz": poisson_nnz(side, dimensions)}
    for name in ("cols", *COUNTS):
        if name in given and given[name] != str(fixed.get(name)):
            is_known = f", to {fixed[name]}" if name in fixed else ""
            raise BadShape(f"{pattern} fixes {name}{is_known}; leave it out")
    return fixed
