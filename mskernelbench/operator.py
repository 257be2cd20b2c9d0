"""What an operator is: its entry, mathematics and workloads, and what a right answer means. No harness."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from mskernelbench.errors import BaselineMissing
from mskernelbench.precision import Precision as Precision

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mskernelbench.pieces import Cut

Shape: TypeAlias = Mapping[str, int | float]
"""The named sizes of a workload, and the scalars that come with them (`r` of a stencil)."""

Arrays: TypeAlias = "Mapping[str, NDArray[Any]]"
"""Input tensors by parameter name; a size that only the data knows stands here as well, as a 0-d array."""


class Category(StrEnum):
    """The four parts of the benchmark."""

    ALGEBRA = "algebra"
    LLM = "llm"
    SPARSE = "sparse"
    SCIENTIFIC = "scientific"


class Kind(StrEnum):
    """How an argument is passed."""

    TENSOR = "tensor"
    """A device pointer."""
    INT = "int"
    """A 32-bit integer by value."""
    FLOAT = "float"
    """A floating-point number by value."""


class Element(StrEnum):
    """The type of a tensor's elements, or of a scalar."""

    VALUE = "value"
    """The operator's precision: `float` or `__nv_bfloat16`."""
    FLOAT32 = "float32"
    """`float` in every precision."""
    INT32 = "int32"
    """`int` in every precision."""


class Access(StrEnum):
    """What the entry may do with a tensor."""

    INPUT = "input"
    OUTPUT = "output"
    IN_PLACE = "in_place"


class Contract(StrEnum):
    """What an output buffer holds before every call; one that is overwritten in place holds its input."""

    POISONED = "poisoned"
    """A NaN pattern; the entry writes all of it."""
    ZEROED = "zeroed"
    """Zeros; the entry adds into it."""
    IN_PLACE = "in_place"
    """The input, restored before every call: of operators all of whose outputs are overwritten in place."""


class BaselineKind(StrEnum):
    """Which kernel candidates are compared with."""

    FAIR = "fair"
    """Plain and without waste; the usual one."""
    PUBLISHED = "published"
    """As wasteful as the benchmark's published kernel: speedups over it compare with the paper's."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of an entry."""

    name: str
    kind: Kind
    element: Element
    access: Access = Access.INPUT
    default: float | int | None = None
    """Value of a trailing scalar that an entry may leave out."""
    extent: str = ""
    """How a tensor is laid out, for people: `M×K, row-major`."""
    nullable: bool = False
    """Whether a workload may leave this output out: the entry is then given a null pointer."""
    least: int = 1
    """The smallest value of a size."""

    def c_type(self, precision: Precision) -> str:
        """The C++ type, such as `const float*`."""
        names = {Element.VALUE: precision.ctype, Element.FLOAT32: "float", Element.INT32: "int"}
        base = names[self.element]
        if self.kind is not Kind.TENSOR:
            return base
        return f"const {base}*" if self.access is Access.INPUT else f"{base}*"


def tensor(
    name: str, extent: str, *, access: Access = Access.INPUT, element: Element = Element.VALUE
) -> Parameter:
    """A tensor argument; an input of the operator's precision unless said otherwise."""
    return Parameter(name, Kind.TENSOR, element, access, extent=extent)


def output(name: str, extent: str, *, element: Element = Element.VALUE, nullable: bool = False) -> Parameter:
    """A tensor that the entry writes; a `nullable` one is left out where a workload says so."""
    return Parameter(name, Kind.TENSOR, element, Access.OUTPUT, extent=extent, nullable=nullable)


def in_place(name: str, extent: str, *, element: Element = Element.VALUE) -> Parameter:
    """A tensor that the entry reads and overwrites."""
    return tensor(name, extent, access=Access.IN_PLACE, element=element)


def size(name: str, *, least: int = 1) -> Parameter:
    """An `int` passed by value."""
    return Parameter(name, Kind.INT, Element.INT32, least=least)


def scalar(name: str, *, element: Element = Element.FLOAT32, default: float | None = None) -> Parameter:
    """A `float` passed by value."""
    return Parameter(name, Kind.FLOAT, element, default=default)


@dataclass(frozen=True, slots=True)
class Workload:
    """One operator at one shape with one kind of data; a seed makes it bytes."""

    set: str
    """`check`, `paper`, `real` or `user`."""
    shape: Shape
    values: str = "ordinary"
    """Name of the distribution of the values, as the operator's generator knows it."""
    pattern: str | None = None
    """Structure of a sparse matrix (`uniform`, `rmat`, …); None where there is none."""
    exact: bool = False
    """Whether FP32 arithmetic is exact on these values in any order: the correctly rounded answer is due."""
    matrix: Path | None = None
    """The Matrix Market file that the sparse matrix is read from."""
    absent: tuple[str, ...] = ()
    """Nullable outputs that are left out: the entry gets null pointers for them."""

    @property
    def key(self) -> tuple[object, ...]:
        """Tells the rows of one verdict apart."""
        return (self.set, self.pattern, *self.shape.items())

    @property
    def label(self) -> str:
        """Names shape and data in one line: `rows=63,cols=5,nnz=9 uniform ordinary`; seeds derive from it."""
        sizes = ",".join(f"{name}={value}" for name, value in self.shape.items())
        parts = (sizes, self.pattern, self.values, self.matrix, *(f"{name}=null" for name in self.absent))
        return " ".join(str(part) for part in parts if part is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Rounding:
    """One source of rounding error: accumulating `terms` numbers whose magnitudes sum to `scale`."""

    terms: "int | NDArray[Any]"
    """Accumulated numbers an output element; a whole number, or one for each element."""
    scale: "NDArray[np.float64]"
    """The magnitude that the error lives on, shaped like the output: Σ|a||b| for a dot product."""
    unit: float = Precision.FP32.unit_roundoff
    """Unit roundoff of the arithmetic."""


def no_aliases() -> tuple[str, ...]:
    """Most operators have none."""
    return ()


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Operator:
    """One problem of the benchmark."""

    name: str
    """snake_case; also the folder and the name on the command line."""
    symbol: str
    """The published spelling; the FP32 entry."""
    title: str
    category: Category
    signature: tuple[Parameter, ...]
    contract: Contract
    mathematics: str
    """What is computed, in one or two sentences."""
    source: str
    """Where the mathematics and its bound are described."""
    folder: Path
    """Where the spec and the baselines lie."""
    workloads: tuple[Workload, ...]
    """All sets, lightest first within each."""
    inputs: "Callable[[Workload, Precision, np.random.Generator], Arrays]"
    """Input tensors rounded to the precision; one generator state gives the same bytes on every machine."""
    outputs: Callable[[Shape], Mapping[str, tuple[int, ...]]]
    """Dimensions of every output tensor."""
    reference: "Callable[[Workload, Arrays], Mapping[str, NDArray[np.float64]]]"
    """The float64 answer from the rounded inputs, by output name."""
    rounding: Callable[[Workload, Arrays, Precision], Mapping[str, Sequence[Rounding]]]
    """Where rounding errors of an honest kernel come from, by output name; empty for exact operators."""
    flops: Callable[[Shape], int]
    """Fewest floating-point operations."""
    dram_bytes: Callable[[Shape, Precision], int]
    """Fewest bytes to and from DRAM: every needed input read once, every output written once."""
    buffer_bytes: Callable[[Workload], int] | None = None
    """Bytes of all tensors in FP32 where that is more than has to move; None where `dram_bytes` says it."""
    weight: Callable[[Shape], int]
    """The paper's T, the baseline's complexity, as an unbounded integer."""
    aliases: tuple[str, ...] = field(default_factory=no_aliases)
    probe: str | None = None
    """Values that show arithmetic of too few bits at any size, where the bound of a long sum is wide."""
    hard: tuple[str, ...] = ()
    """Further values, fit for any size, that show what friendly ones hide; checks have them as well."""
    small: tuple[str, ...] = ()
    """Values of checks that are not fit for larger sizes."""
    work_by_values: bool = False
    """Whether honest kernels may do less where values allow it, as a selection does."""
    matrix_product: bool = False
    """Whether tensor cores can do its floating-point operations."""
    exact: bool = False
    """Whether every output is exact, so that nothing but equality passes."""
    cut: "Cut | None" = None
    """How single output elements can be answered without all of them; None where they cannot."""
    unfit: Callable[[Shape], str | None] | None = None
    """Why the operator is not defined for these sizes, or None; where each by itself is fine, any will do."""
    baselines: Mapping[Precision, Path] | None = None
    """Where the fair baselines lie, and so in which precisions there are any; None for both, in `folder`."""
    user_shape: Callable[[Mapping[str, str]], Workload] | None = None
    """Makes a workload of the set `user` from named texts where sizes alone do not (sparse matrices)."""

    def entry_symbol(self, precision: Precision) -> str:
        """The entry that a candidate defines, such as `spmv_csr_bf16`."""
        return self.symbol if precision is Precision.FP32 else f"{self.symbol}_bf16"

    def c_signature(self, precision: Precision) -> str:
        """The entry as C++ declares it, without the optional trailing stream."""
        arguments = ", ".join(f"{p.c_type(precision)} {p.name}" for p in self.signature)
        return f'extern "C" void {self.entry_symbol(precision)}({arguments})'

    def baseline(self, precision: Precision, kind: BaselineKind = BaselineKind.FAIR) -> str:
        """Source text of our baseline kernel. Raises BaselineMissing."""
        file = self.baseline_file(precision, kind)
        if not file.exists():
            compare = "" if kind is BaselineKind.FAIR else "; compare with the fair baseline"
            raise BaselineMissing(f"operator {self.name} lacks {file.name} in {self.folder}{compare}")
        return file.read_text(encoding="utf-8")

    def has_baseline(self, precision: Precision, kind: BaselineKind) -> bool:
        """Whether there is such a baseline; a published one only where its launch shape differs."""
        return self.baseline_file(precision, kind).exists()

    @property
    def precisions(self) -> tuple[Precision, ...]:
        """Those that it has a fair baseline in, or should have one."""
        return tuple(Precision) if self.baselines is None else tuple(self.baselines)

    def baseline_file(self, precision: Precision, kind: BaselineKind = BaselineKind.FAIR) -> Path:
        """Where the baseline of this kind lies, or would lie."""
        if self.baselines is not None and kind is BaselineKind.FAIR and precision in self.baselines:
            return self.baselines[precision]
        prefix = "published_" if kind is BaselineKind.PUBLISHED else ""
        return self.folder / f"{prefix}baseline_{precision}.cu"

    def in_set(self, name: str) -> tuple[Workload, ...]:
        """The workloads of one set."""
        return tuple(w for w in self.workloads if w.set == name)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the tensors that the entry writes."""
        return tuple(p.name for p in self.signature if p.kind is Kind.TENSOR and p.access is not Access.INPUT)
