from cudamaster.web.rows import rows_of
from mskernelbench.evaluation import NO_GAIN, Interval, WorkloadResult

GAIN = Interval(4.0, 4.0, 4.0)


def test_a_gain_that_is_not_proved_is_shown_and_none_in_the_mean() -> None:
    row = WorkloadResult("paper", {"N": 1}, None, 4.0, 1.0, GAIN, 0.5, "memory", counted=False)
    (shown,) = rows_of({"workloads": [row.document()]})
    assert (shown.speedup, shown.credited) == (GAIN, NO_GAIN)
