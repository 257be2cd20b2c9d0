"""One launch through the whole model: sampled counters in, modelled time and what explains it out."""

from collections.abc import Sequence
from dataclasses import dataclass

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.cost.demand import FAMILIES, Demand, demand
from cudamaster.toolchain.devices.virtual.cost.duration import Duration, combine, overlap_exponent
from cudamaster.toolchain.devices.virtual.cost.l2_contents import L2Contents
from cudamaster.toolchain.devices.virtual.cost.latency import LatencyBound, latency_bound
from cudamaster.toolchain.devices.virtual.cost.subject import Subject, subject_of
from cudamaster.toolchain.devices.virtual.cost.traffic import Traffic, Use, estimate_traffic, use_of
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.devices.virtual.specs import VirtualGpu


@dataclass(frozen=True, slots=True, eq=False)
class ModelledLaunch:
    """What the model says about one launch."""

    subject: Subject
    traffic: Traffic
    demand: Demand
    latency: LatencyBound
    duration: Duration
    seconds: float
    """Modelled time of the kernel itself, without launch overhead."""


def model_launch(
    launch: SampledLaunch, resources: KernelResources, gpu: VirtualGpu, contents: L2Contents
) -> ModelledLaunch:
    """Model one launch that finds `contents` in L2."""
    use = use_of(subject_of(launch, resources, gpu))
    return model_use(use, tuple(contents.held(stretch) if stretch else 0.0 for stretch in use.where))


def model_use(use: Use, held: Sequence[float]) -> ModelledLaunch:
    """Model a launch of whose bytes L2 holds the shares `held`, buffer by buffer."""
    subject, traffic = use.subject, estimate_traffic(use, held)
    model = subject.gpu.model
    asked = demand(subject, traffic)
    waiting = latency_bound(subject, traffic)
    bounds = {resource: asked.total(resource) for family in FAMILIES.values() for resource in family}
    bounds["latency"] = waiting.cycles
    duration = combine(bounds, overlap_exponent(subject))
    seconds = duration.cycles / model.sustained_clock_hz * model.calibration
    return ModelledLaunch(subject, traffic, asked, waiting, duration, seconds)
