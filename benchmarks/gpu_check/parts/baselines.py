"""All baselines on a workload of the paper's size and one of a real one: outputs, time, attainment."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from benchmarks.gpu_check.kernels import Kernel, baselines, compared_workload, timed_workloads
from benchmarks.gpu_check.modelling import modelled_times, of_build
from benchmarks.gpu_check.nouns import DONE, FAILED, OBJECTION, Item, Part, Row, Session
from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import Outputs, RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan
from mskernelbench.answers import Answer
from mskernelbench.materials import Materials
from mskernelbench.operator import Workload
from mskernelbench.roofline import roofline
from mskernelbench.scores import attainment, geometric_mean

SAMPLES = 20


class Prepared(NamedTuple):
    """What a kernel is measured with."""

    build: Build
    arguments: dict[str, Arguments]
    """By the label of the workload."""
    workloads: tuple[Workload, ...]
    compared: Workload
    answers: dict[str, Answer]
    """Right outputs of `compared`."""
    modelled: Outputs | RunFailure
    """What the virtual GPU gives there."""
    modelled_times: dict[str, Row]
    """The virtual GPU's, by the label of the workload."""


def items(session: Session) -> Sequence[Item]:
    """One for each baseline."""
    return [
        Item(kernel.key, partial(prepare, session, kernel), partial(measure, session, kernel))
        for kernel in baselines(session.operators)
    ]


def sources(operators: Sequence[str]) -> Iterator[KernelSource]:
    """All of them."""
    return (kernel.source for kernel in baselines(operators))


def prepare(session: Session, kernel: Kernel) -> Prepared:
    """Build it, draw its inputs, and have the virtual GPU run it where that is quick."""
    operator, precision = kernel.operator, kernel.precision
    materials = Materials(operator, precision, session.seed)
    timed, compared = (
        timed_workloads(operator, precision, session.sizes),
        compared_workload(operator, precision),
    )
    arguments = {workload.label: materials.arguments(workload) for workload in (*timed, compared)}
    model_build = session.model.build(kernel.source)
    run_compared = partial(session.model.run, arguments=arguments[compared.label])
    modelled = of_build(model_build, run_compared)
    session.model.release(model_build)
    build = session.device.build(kernel.source)
    answers = dict(materials.answers(compared))
    times = modelled_times(session, kernel, {w.label: arguments[w.label] for w in timed})
    return Prepared(build, arguments, timed, compared, answers, modelled, times)


def measure(session: Session, kernel: Kernel, prepared: Prepared) -> Row:
    """Its outputs against the answers and the virtual GPU's, then its times."""
    if not prepared.build.ok:
        return {"status": FAILED, "reason": prepared.build.first_error}
    about = {"operator": kernel.operator.name, "precision": str(kernel.precision), "kernel": kernel.origin}
    outputs = session.device.run(prepared.build, prepared.arguments[prepared.compared.label])
    if isinstance(outputs, RunFailure):
        return about | {"status": FAILED, "reason": f"{outputs.kind}: {outputs.reason}"}
    times = [time_row(session, kernel, prepared, workload) for workload in prepared.workloads]
    session.device.release(prepared.build)
    compared_row = compare(prepared, outputs)
    row = about | {"status": DONE, "outputs": compared_row, "times": times}
    wrong = objections(compared_row)
    return row | ({OBJECTION: "; ".join(wrong)} if wrong else {})


def objections(outputs: Row) -> list[str]:
    """What is wrong with the outputs, in words."""
    said = {
        "error_ratio": "the GPU's outputs are wrong",
        "model_error_ratio": "the virtual GPU's outputs are wrong",
        "apart_ratio": "the two differ by more than the tolerance",
    }
    return [words for name, words in said.items() if float(outputs.get(name, 0.0)) > 1]


def compare(prepared: Prepared, outputs: Outputs) -> Row:
    """Worst error ÷ bound of both against the answer, and of one against the other."""
    row: Row = {"workload": prepared.compared.label, "error_ratio": _worst(prepared.answers, outputs)}
    if isinstance(prepared.modelled, RunFailure):
        return row | {"model": f"{prepared.modelled.kind}: {prepared.modelled.reason}"}
    between = {
        name: Answer(
            prepared.modelled.arrays[name].astype("float64").reshape(answer.reference.shape), answer.bound
        )
        for name, answer in prepared.answers.items()
    }
    same = all(outputs.arrays[name].tobytes() == prepared.modelled.arrays[name].tobytes() for name in between)
    return row | {
        "model_error_ratio": _worst(prepared.answers, prepared.modelled),
        "apart_ratio": _worst(between, outputs),
        "same_bytes": same,
    }


def _worst(answers: dict[str, Answer], outputs: Outputs) -> float:
    return max(answer.compare(outputs.arrays[name]).ratio for name, answer in answers.items())


def time_row(session: Session, kernel: Kernel, prepared: Prepared, workload: Workload) -> Row:
    """The median of the samples with their spread, clocks and attainment."""
    plan = TimingPlan(samples=SAMPLES, seed=session.seed)
    timing = session.device.time(prepared.build, prepared.arguments[workload.label], plan)
    roof = roofline(session.device.spec, kernel.operator, kernel.precision, workload)
    about = {"set": workload.set, "label": workload.label, "subject": kernel.subject(workload)}
    about |= {"bound": roof.bound} | prepared.modelled_times[workload.label]
    if isinstance(timing, RunFailure):
        return about | {"reason": f"{timing.kind}: {timing.reason}"}
    return about | timing_row(timing) | {"attainment": attainment(roof.time_ms, timing.median_ms)}


def timing_row(timing: Timing) -> Row:
    """A time with what it rests on."""
    row: dict[str, Any] = {
        "ms": timing.median_ms,
        "spread": timing.spread,
        "samples": len(timing.samples_ms),
        "launches": timing.kernels,
    }
    if timing.states:
        mhz = [state.sm_mhz for state in timing.states]
        slowed = {str(reason) for state in timing.states for reason in state.slowed_by}
        row |= {"sm_mhz": [min(mhz), max(mhz)], "slowed_by": sorted(slowed)}
        heat = [s.temperature_celsius for s in timing.states if s.temperature_celsius is not None]
        row |= {"celsius": [min(heat), max(heat)]} if heat else {}
    return row


def figures(rows: Sequence[Row]) -> Row:
    """Rightness of both devices, attainment as a geometric mean."""
    done = [row for row in rows if row["status"] == DONE]
    outputs = [row["outputs"] for row in done]
    timed = [time for row in done for time in row["times"] if "ms" in time]
    compared = [one for one in outputs if "apart_ratio" in one]
    return {
        "measured": len(done),
        "right": sum(float(one["error_ratio"]) <= 1 for one in outputs),
        "compared_with_model": len(compared),
        "agree": sum(float(one["apart_ratio"]) <= 1 for one in compared),
        "same_bytes": sum(one["same_bytes"] for one in compared),
        "times": len(timed),
        "attainment": geometric_mean([time["attainment"] for time in timed]) if timed else None,
        "widest_spread": max((time["spread"] for time in timed), default=None),
        "failed": {row["key"]: row["reason"] for row in rows if row["status"] == FAILED},
    }


PART = Part("baselines", "outputs, times and attainment of all baselines", 140.0, items, figures, sources)
