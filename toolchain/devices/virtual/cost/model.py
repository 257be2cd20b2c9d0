"""One launch through the whole model: sampled counters in, modelled time and what explains it out."""

from dataclasses import dataclass

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.cost.demand import FAMILIES, Demand, demand
from cudamaster.toolchain.devices.virtual.cost.duration import Duration, combine, overlap_exponent
from cudamaster.toolchain.devices.virtual.cost.latency import LatencyBound, latency_bound, latency_of
from cudamaster.toolchain.devices.virtual.cost.lowering import Lowering, lower
from cudamaster.toolchain.devices.virtual.cost.occupancy import Occupancy, occupancy
from cudamaster.toolchain.devices.virtual.cost.regions import form_regions
from cudamaster.toolchain.devices.virtual.cost.sites import CountedSite, counted_sites
from cudamaster.toolchain.devices.virtual.cost.traffic import L2Contents, Traffic, estimate_traffic
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.devices.virtual.specs import VirtualGpu


@dataclass(frozen=True, slots=True, eq=False)
class ModelledLaunch:
    """What the model says about one launch."""

    launch: SampledLaunch
    sites: tuple[CountedSite, ...]
    resources: KernelResources
    lowering: Lowering
    residency: Occupancy
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
    lowering = lower(launch.kernel)
    residency = occupancy(launch.request, resources, gpu.device)
    regions = form_regions(launch.kernel, launch.block_counts[:, 0])
    sites = counted_sites(launch)
    traffic = estimate_traffic(launch, sites, regions, residency, gpu, contents)
    asked = demand(launch, sites, lowering, residency, traffic, resources, gpu)
    latency = latency_of(sites, lowering, traffic, gpu)
    waiting = latency_bound(launch, regions, lowering, residency, latency, gpu.model)
    bounds = {r: asked.total(r) for resources_ in FAMILIES.values() for r in resources_}
    bounds["latency"] = waiting.cycles
    duration = combine(bounds, overlap_exponent(launch.kernel, residency, gpu.model))
    seconds = duration.cycles / gpu.model.sustained_clock_hz * gpu.model.calibration
    return ModelledLaunch(
        launch, sites, resources, lowering, residency, traffic, asked, waiting, duration, seconds
    )
