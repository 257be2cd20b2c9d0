from cudamaster.toolchain.timing import Clock
from mskernelbench.evaluation import Interval, WorkloadResult
from mskernelbench.verdict import Bench, accepted

BENCH = Bench("spmv_csr", "fp32", "virtual:h200", Clock.MODELLED, 0, 1)


def row(speedup: float) -> WorkloadResult:
    return WorkloadResult("real", {"N": 1}, speedup=Interval(speedup, speedup, speedup))


def test_a_mean_that_is_no_difference_tells_the_workloads_that_differ() -> None:
    reason = accepted(BENCH, "entry", [row(2.0), row(0.5), row(1.0)]).reason

    assert (
        "within 10 % of the baseline on average (1.00x), which the time model cannot tell from none: "
        "faster on 1 workload, slower on 1 (0.50x to 2.00x), over 3 timed workloads"
    ) in reason
