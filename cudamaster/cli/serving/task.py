"""What an agent is told of a task: the operator, the device's limits, the baseline and the rules."""

from collections.abc import Sequence
from dataclasses import asdict

from cudamaster.agents.briefing import accuracy_words, contract_words
from cudamaster.cli.profile import document_of, workload_document
from cudamaster.report.document import Json
from cudamaster.report.listing import operator_document
from cudamaster.report.operator import parameter_document
from cudamaster.search.collaborators import Collaborators
from cudamaster.search.settings import Settings
from cudamaster.search.user_workloads import user_workloads
from mskernelbench.operator import Workload

SCHEMA = "cudamaster.task/1"
RULES = (
    "Write one complete CUDA C++17 file that defines the entry as the signature says; nothing else may be "
    "linked, and no vendor library may be called.",
    "A cudaStream_t may be declared as one more argument at the end; it is then passed, and is to be used.",
    "The entry keeps no results between calls. Waiting for the device within it is allowed, and costs time.",
    "Every shape the operator allows counts: sizes of 1, primes, unaligned rows, large magnitudes.",
    "Nothing is read or written out of bounds; outputs that hold garbage are written whole; inputs stay.",
    "Scratch memory is taken with cudaMallocAsync on that stream, and freed in the same call.",
    "Answers are right whatever the order in which threads run; sums by atomics may round in any order.",
    "Of compiler flags a register limit, --extended-lambda and --expt-relaxed-constexpr may be asked for, "
    "in the file's first lines: // nvcc: --maxrregcount=64",
    "evaluate_kernel times a few workloads; submit_kernel judges on all, on fresh inputs, and decides.",
)


def task_document(means: Collaborators, settings: Settings, best: Sequence[Json]) -> Json:
    """`cudamaster.task/1`; the baseline is judged and profiled for it."""
    operator, precision = means.operator, means.precision
    timed = user_workloads(operator, settings.shapes, settings.matrices) or operator.workloads
    return {
        "schema": SCHEMA,
        "operator": operator_document(operator),
        "precision": settings.precision,
        "entry": means.entry,
        "signature": operator.c_signature(precision),
        "parameters": [parameter_document(parameter) for parameter in operator.signature],
        "mathematics": operator.mathematics,
        "contract": contract_words(operator),
        "accuracy": accuracy_words(operator, precision),
        "workloads": [work_document(means, workload) for workload in timed],
        "device": {"device": means.device, "clock": means.clock, "limits": asdict(means.spec)},
        "baseline": baseline_document(means, settings),
        "stored": list(best),
        "rules": list(RULES),
    }


def work_document(means: Collaborators, workload: Workload) -> Json:
    """One workload with its least work: what the roofline is made of."""
    operator, shape = means.operator, workload.shape
    work = {"flops": operator.flops(shape), "dram_bytes": operator.dram_bytes(shape, means.precision)}
    return workload_document(workload) | {"values": workload.values} | work


def baseline_document(means: Collaborators, settings: Settings) -> Json:
    """The baseline's source, its times on the workloads of a quick verdict, and its profile."""
    source = means.judge.baseline()
    return {
        "source": source,
        "evaluation": means.judge.quick(source).document(),
        "profile": profiled(source, settings, means),
    }


def profiled(source: str, settings: Settings, means: Collaborators) -> Json:
    """`cudamaster.profile/1` of a source, on the heaviest workload of a quick verdict."""
    about = {"operator": settings.operator, "precision": settings.precision, "device": means.device}
    workload = {"workload": workload_document(means.judge.profiled())}
    return document_of(means.judge.profile(source), about | workload)
