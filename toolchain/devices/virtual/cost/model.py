"""One launch through the whole model: sampled counters in, modelled time and what explains it out."""

from dataclasses import dataclass

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.cost.demand import FAMILIES, Demand, demand
from cudamaster.toolchain.devices.virtual.cost.duration import Duration, combine, overlap_exponent
from cudamaster.toolchain.devices.virtual.cost.latency import LatencyBound, latency_bound
from cudamaster.toolchain.devices.virtual.cost.subject import Subject, subject_of
from cudamaster.toolchain.devices.virtual.cost.traffic import L2Contents, Traffic, estimate_traffic
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
    subject = subject_of(launch, resources, gpu)
    traffic = estimate_traffic(subject, contents)
    asked = demand(subject, traffic)
    waiting = latency_bound(subject, traffic)
    bounds = {resource: asked.total(resource) for family in FAMILIES.values() for resource in family}
    bounds["latency"] = waiting.cycles
    duration = combine(bounds, overlap_exponent(subject))
    seconds = duration.cycles / gpu.model.sustained_clock_hz * gpu.model.calibration
    return ModelledLaunch(subject, traffic, asked, waiting, duration, seconds)
