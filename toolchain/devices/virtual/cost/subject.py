"""One sampled launch and what can be said of it before any time is: what the parts of the model share."""

from collections.abc import Mapping
from dataclasses import dataclass

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.cost.combining import combined_atomics
from cudamaster.toolchain.devices.virtual.cost.lowering import Lowering, lower
from cudamaster.toolchain.devices.virtual.cost.occupancy import Occupancy, occupancy
from cudamaster.toolchain.devices.virtual.cost.regions import Region, form_regions
from cudamaster.toolchain.devices.virtual.cost.sites import (
    ConstantLoad,
    CountedSite,
    counted_sites,
    scattered_constants,
)
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction
from cudamaster.toolchain.devices.virtual.specs import VirtualGpu


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What is modelled."""

    launch: SampledLaunch
    resources: KernelResources
    gpu: VirtualGpu
    sites: tuple[CountedSite, ...]
    constants: Mapping[Instruction, ConstantLoad]
    """Loads of constant memory whose lanes differ in their addresses."""
    regions: tuple[Region, ...]
    lowering: Lowering
    residency: Occupancy

    @property
    def samples(self) -> int:
        """Sampled blocks."""
        return len(self.launch.sampled_blocks)

    @property
    def scale(self) -> float:
        """Blocks of the grid for each sampled one."""
        return self.launch.request.block_count / self.samples

    @property
    def busiest(self) -> float:
        """Work of the busiest SM in mean blocks: its share of them, at least the longest block."""
        return max(float(self.residency.busiest_blocks), self.launch.longest)

    @property
    def per_sm(self) -> float:
        """Blocks of the busiest SM for each sampled one."""
        return self.busiest / self.samples

    def path_executions(self, region: Region) -> float:
        """How often a mean block's longest path leads through a region; where unknown, a mean warp's."""
        path = self.launch.path_counts
        if len(path):
            return float(path[region.blocks[0]]) / self.samples
        return region.executions / self.samples / self.launch.request.warps_per_block

    @property
    def side_by_side(self) -> float:
        """Blocks at one time on the busiest SM, mean over the launch; its longest is alone at the end."""
        spread = max(1.0, self.busiest / self.launch.longest)
        return min(float(self.residency.resident_blocks), spread)

    @property
    def resident_warps(self) -> float:
        """Warps on an SM, mean over the SMs that have any and the launch."""
        return self.residency.resident_warps * self.side_by_side / self.residency.resident_blocks


def subject_of(launch: SampledLaunch, resources: KernelResources, gpu: VirtualGpu) -> Subject:
    """Look at `launch` from all sides."""
    return Subject(
        launch,
        resources,
        gpu,
        counted_sites(launch, combined_atomics(launch.kernel, gpu.device.architecture)),
        scattered_constants(launch),
        form_regions(launch.kernel, launch.block_counts[:, 0]),
        lower(launch.kernel),
        occupancy(launch.request, resources, gpu.device),
    )
