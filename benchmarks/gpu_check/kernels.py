"""The kernels that are measured, baselines and stored results, and on which workloads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cudamaster.store.results import KERNEL, read_stored
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.timing import Clock
from mskernelbench.affordable import Limits, affordable
from mskernelbench.catalog import load_operator
from mskernelbench.entries import EntryProblem, find_entry
from mskernelbench.operator import Operator, Precision, Workload

RESULTS = Path(__file__).parents[2] / "results"
BASELINE = "baseline"
TIMED_SETS = ("paper", "real")


@dataclass(frozen=True, eq=False)
class Kernel:
    """One source for one operator at one precision."""

    operator: Operator
    precision: Precision
    origin: str
    """`baseline`, or the folder of results that it is stored in, such as `virtual-h200`."""
    text: str

    @property
    def key(self) -> str:
        """Names it in rows."""
        return f"{self.operator.name}/{self.precision}/{self.origin}"

    def subject(self, workload: Workload) -> str:
        """Names the work that it does there, which other kernels do too."""
        return f"{self.operator.name}/{self.precision}/{workload.set}/{workload.label}"

    @property
    def source(self) -> KernelSource:
        """With its entry. Raises ValueError where it has none."""
        found = find_entry(self.text, self.operator, self.precision, None)
        if isinstance(found, EntryProblem):
            raise ValueError(f"{self.key}: {found.reason}")
        return KernelSource(self.text, found.name)


def baselines(operators: Sequence[str]) -> Iterator[Kernel]:
    """The fair baselines, one precision after the other, so that half of them are of every operator."""
    for precision in Precision:
        for name in operators:
            operator = load_operator(name)
            yield Kernel(operator, precision, BASELINE, operator.baseline(precision))


def stored_kernels(operators: Sequence[str], results: Path = RESULTS) -> Iterator[Kernel]:
    """All stored results for these operators, whatever device they were found on."""
    for file in sorted(results.glob(f"*/*/*/{KERNEL}")):
        device, name, precision = file.parts[-4:-1]
        stored = read_stored(file.parent)
        if stored is not None and name in operators:
            yield Kernel(load_operator(name), Precision(precision), device, stored.kernel)


def timed_workloads(operator: Operator, precision: Precision, sizes: Limits) -> tuple[Workload, ...]:
    """The heaviest of the paper's and of the real workloads within `sizes`; the lightest where none is."""
    return tuple(_heaviest(operator, precision, name, sizes) for name in TIMED_SETS if operator.in_set(name))


def _heaviest(operator: Operator, precision: Precision, name: str, sizes: Limits) -> Workload:
    def cost(workload: Workload) -> tuple[int, int]:
        return operator.dram_bytes(workload.shape, precision), operator.flops(workload.shape)

    ranked = sorted(operator.in_set(name), key=cost)
    within = [w for w in ranked if cost(w)[0] <= sizes.dram_bytes and cost(w)[1] <= sizes.flops]
    return within[-1] if within else ranked[0]


def compared_workload(operator: Operator, precision: Precision) -> Workload:
    """One that the virtual GPU runs whole in no time: the heaviest cheap one of the check set."""
    checks = operator.in_set("check")
    cheap = affordable(checks, operator, precision, Clock.MODELLED, quick=False)
    return cheap[-1] if cheap else checks[0]
