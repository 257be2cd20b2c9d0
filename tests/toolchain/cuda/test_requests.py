"""What the trusted side makes of a worker's claims: as many as were asked for, and all of them amounts."""

from typing import Any

import pytest

from cudamaster.toolchain.devices.cuda.requests import ROW, Claims, Manner, claims_of
from cudamaster.toolchain.worker.replies import forged

SAID = {"launches": 4, "moves": 0, "leaked_bytes": 16, "seconds": 0.5, "times_ms": [0.1, 0.2]}


def test_claims_come_with_how_long_they_were_waited_for() -> None:
    claims = claims_of(SAID, Manner(2), waited_ms=7.0)
    assert claims == Claims(4, 0, 16, 0.5, (0.1, 0.2), 7.0)
    assert not claims.idle
    row = claims_of({**SAID, "launches": 0, "times_ms": [3.0]}, Manner(2, do=ROW), waited_ms=7.0)
    assert isinstance(row, Claims)
    assert row.idle


@pytest.mark.parametrize(
    "change",
    [
        {"times_ms": [0.1]},
        {"times_ms": [0.1, 0.2, 0.3]},
        {"times_ms": [0.1, -0.2]},
        {"times_ms": [0.1, float("nan")]},
        {"times_ms": "0.1"},
        {"launches": "many"},
        {"leaked_bytes": None},
        {"seconds": [1]},
    ],
)
def test_a_reply_that_our_program_would_not_make_is_forged(change: dict[str, Any]) -> None:
    assert claims_of({**SAID, **change}, Manner(2), waited_ms=7.0) == forged()


@pytest.mark.parametrize("missing", list(SAID))
def test_a_reply_that_lacks_something_is_forged(missing: str) -> None:
    said = {name: value for name, value in SAID.items() if name != missing}
    assert claims_of(said, Manner(2), waited_ms=7.0) == forged()
