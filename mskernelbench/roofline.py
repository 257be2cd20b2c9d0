"""The least time a device needs for a workload, from the operator's declared work and the device's peaks."""

from dataclasses import dataclass
from math import prod

from cudamaster.toolchain.spec import DeviceSpec
from mskernelbench.answers import element_dtype, parameter
from mskernelbench.operator import Operator, Precision, Workload

LAUNCH_MS = 0.003
"""Below this, the time of one launch, nothing but latency limits a kernel."""


@dataclass(frozen=True, slots=True)
class Roofline:
    """Where the roof lies for one workload."""

    time_ms: float
    """max of compute and DRAM time: what attainment is measured against."""
    floor_ms: float
    """As `time_ms`, but outputs that fit may stay in L2: no honest time lies below."""
    bound: str
    """`memory`, `compute`, or `latency` where both are shorter than a launch."""


def peak_flops(spec: DeviceSpec, operator: Operator, precision: Precision) -> float:
    """The arithmetic peak that honest kernels can reach, in FLOP/s.

    Matrix products run on tensor cores: BF16 directly, FP32 as three TF32 products (H. Ootomo and R. Yokota,
    Int. J. High Performance Computing Applications 36(4), 2022). Everything else is FP32 arithmetic.
    """
    if not operator.matrix_product:
        return spec.fp32_flops
    if precision is Precision.BF16:
        return spec.bf16_tensor_flops
    return max(spec.fp32_flops, spec.tf32_tensor_flops / 3)


def roofline(spec: DeviceSpec, operator: Operator, precision: Precision, workload: Workload) -> Roofline:
    """The roof over one workload."""
    peak = peak_flops(spec, operator, precision)
    flops = operator.flops(workload.shape)
    dram = operator.dram_bytes(workload.shape, precision)
    cached = min(_output_bytes(operator, precision, workload), spec.l2_bytes)
    time_ms = spec.roofline_ms(flops, dram, peak)
    floor_ms = spec.roofline_ms(flops, max(dram - cached, 0), peak)
    by = "memory" if dram / spec.dram_bytes_per_s >= flops / peak else "compute"
    return Roofline(time_ms, floor_ms, by if time_ms > LAUNCH_MS else "latency")


def _output_bytes(operator: Operator, precision: Precision, workload: Workload) -> int:
    dimensions = operator.outputs(workload.shape)
    sizes = {name: element_dtype(parameter(operator, name), precision).itemsize for name in dimensions}
    return sum(prod(dimensions[name]) * sizes[name] for name in dimensions)
