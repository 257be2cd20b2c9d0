"""What Nsight Compute counts against what the virtual GPU counts, metric by metric."""

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import median

from benchmarks.gpu_check.kernels import Kernel, baselines, timed_workloads
from benchmarks.gpu_check.modelling import of_build
from benchmarks.gpu_check.nouns import DONE, FAILED, LAST, SKIPPED, Item, Part, Row, Session
from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.profile import KernelProfile, Profile
from mskernelbench.materials import Materials

FIRST = (
    "matrix_mul", "softmax", "spmv_csr", "stencil_2d", "layer_norm", "prefix_sum", "softmax_attention",
    "relu", "matrix_vector_mul", "conv_2d", "sorting", "top_k",
)  # fmt: skip
"""One of each kind; then the others."""
NSIGHT = "ncu"


def items(session: Session) -> Sequence[Item]:
    """A baseline of each kind of operator first."""
    order = sorted(
        session.operators, key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name)
    )
    kernels = list(baselines(order))
    return [
        Item(kernel.key, partial(prepare, session, kernel), partial(measure, session, kernel))
        for kernel in kernels
    ]


Prepared = tuple[Arguments, Profile | RunFailure]


def prepare(session: Session, kernel: Kernel) -> Prepared:
    """The arguments, and the virtual GPU's profile."""
    workload = timed_workloads(kernel.operator, kernel.precision, session.sizes)[-1]
    arguments = Materials(kernel.operator, kernel.precision, session.seed).arguments(workload)
    session.device.build(kernel.source)
    build = session.model.build(kernel.source)
    profile = of_build(build, partial(session.model.profile, arguments=arguments))
    session.model.release(build)
    return arguments, profile


def measure(session: Session, kernel: Kernel, prepared: Prepared) -> Row:
    """Every metric that both told of the kernel that takes longest."""
    arguments, modelled = prepared
    build = session.device.build(kernel.source)
    measured = of_build(build, partial(session.device.profile, arguments=arguments))
    session.device.release(build)
    for profile in (measured, modelled):
        if isinstance(profile, RunFailure):
            return {"status": FAILED, "reason": f"{profile.kind}: {profile.reason}"}
    assert isinstance(measured, Profile)
    assert isinstance(modelled, Profile)
    if not measured.counted_by.startswith(NSIGHT):
        words = measured.note or f"counted by {measured.counted_by or session.device.name}, not by ncu"
        return {"status": SKIPPED, "reason": words, LAST: True}
    kernel_profile = measured.kernels[0]
    twin = _twin(kernel_profile, modelled)
    if twin is None:
        return {"status": FAILED, "reason": f"the virtual GPU launched no {kernel_profile.name}"}
    return {"status": DONE, "counted_by": measured.counted_by, "metrics": beside(kernel_profile, twin)}


def _twin(kernel: KernelProfile, modelled: Profile) -> KernelProfile | None:
    return next((one for one in modelled.kernels if one.symbol == kernel.symbol), None)


def beside(measured: KernelProfile, modelled: KernelProfile) -> Mapping[str, tuple[float, float]]:
    """(measured, modelled) by metric."""
    common = measured.metrics.keys() & modelled.metrics.keys()
    return {name: (measured.metrics[name], modelled.metrics[name]) for name in sorted(common)}


def figures(rows: Sequence[Row]) -> Row:
    """For each metric how many kernels tell it, and the median of modelled ÷ measured."""
    found: dict[str, list[float]] = {}
    for row in rows:
        for name, (measured, modelled) in row.get("metrics", {}).items():
            if measured:
                found.setdefault(name, []).append(modelled / measured)
    ratios = {
        name: {"kernels": len(seen), "median_ratio": median(seen)} for name, seen in sorted(found.items())
    }
    return {"profiled": sum(row["status"] == DONE for row in rows), "modelled_to_measured": ratios}


PART = Part("counters", "Nsight Compute's counters against the virtual GPU's", 15.0, items, figures)
