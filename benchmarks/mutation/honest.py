"""The honest kernels that faults are put into: baselines, and strategies of the built-in expert."""

from collections.abc import Iterator
from dataclasses import dataclass

from cudamaster.agents.builtin.catalog import find_strategy
from cudamaster.agents.builtin.rendering import render_kernel
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.spec import DeviceSpec
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Kind, Operator, Precision

BASELINE = "baseline"
GPU = "h200"
KERNELS = (
    ("relu", "fp32", BASELINE),
    ("dot_product", "fp32", BASELINE),
    ("matrix_mul", "fp32", BASELINE),
    ("softmax", "fp32", BASELINE),
    ("spmv_csr", "fp32", BASELINE),
    ("stencil_2d", "fp32", BASELINE),
    ("prefix_sum", "fp32", BASELINE),
    ("matrix_transpose", "fp32", BASELINE),
    ("max_pooling_2d", "fp32", BASELINE),
    ("conv_1d", "fp32", BASELINE),
    ("merge_attn_states", "fp32", BASELINE),
    ("spmm_coo", "fp32", BASELINE),
    ("reverse_array", "fp32", BASELINE),
    ("matrix_mul", "bf16", BASELINE),
    ("softmax", "bf16", BASELINE),
    ("gelu", "bf16", BASELINE),
    ("dot_product", "fp32", "last_block"),
    ("matrix_mul", "fp32", "register_tile"),
    ("softmax", "fp32", "held_row"),
    ("spmv_csr", "fp32", "lanes_per_row"),
    ("relu", "fp32", "vector_stream"),
    ("matrix_transpose", "fp32", "shared_tile"),
    ("softmax_attention", "fp32", BASELINE),
    ("rms_norm", "fp32", BASELINE),
)


@dataclass(frozen=True, slots=True)
class Honest:
    """One of them."""

    operator: Operator
    precision: Precision
    kernel: str
    """`baseline`, or the strategy's name."""
    source: str

    @property
    def sizes(self) -> list[str]:
        """The entry's size parameters."""
        return [parameter.name for parameter in self.operator.signature if parameter.kind is Kind.INT]

    @property
    def name(self) -> str:
        """As the page calls it."""
        return f"{self.operator.name} {self.precision} {self.kernel}"


def honest_kernels() -> Iterator[Honest]:
    """All of KERNELS."""
    spec = load_gpu(GPU).device
    for name, precision, kernel in KERNELS:
        operator = load_operator(name)
        yield Honest(
            operator, Precision(precision), kernel, _source(operator, Precision(precision), kernel, spec)
        )


def _source(operator: Operator, precision: Precision, kernel: str, spec: DeviceSpec) -> str:
    if kernel == BASELINE:
        return operator.baseline(precision)
    strategy = find_strategy(kernel, operator, precision)
    assert strategy is not None, f"no strategy {kernel} for {operator.name}"
    setting = strategy.default(precision, spec)
    assert setting is not None
    entry = operator.entry_symbol(precision)
    return render_kernel(strategy, setting, operator=operator, precision=precision, entry=entry, spec=spec)
