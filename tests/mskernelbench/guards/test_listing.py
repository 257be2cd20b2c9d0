"""Guards are found by listing their folders."""

from mskernelbench.evaluation import Status
from mskernelbench.guards import STAGES, guards


def test_every_stage_has_guards_that_say_what_they_refuse() -> None:
    for stage in STAGES:
        assert guards(stage), stage
        for guard in guards(stage):
            assert guard.status in (Status.CHEATED, Status.WRONG, Status.UNSUPPORTED)
            assert guard.refuse.__doc__
