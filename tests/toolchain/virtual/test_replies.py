"""A worker's replies: what our program says comes back as it was, and anything else is refused."""

import json
from typing import Any

import pytest

from cudamaster.toolchain.devices.virtual.replies import decode_profile, encode_profile
from cudamaster.toolchain.outputs import FailureKind, Fault, RunFailure
from cudamaster.toolchain.profile import HotLine, KernelProfile, Launch, Profile
from cudamaster.toolchain.timing import Clock
from cudamaster.toolchain.worker.replies import (
    MOST_TEXT,
    ReplyForged,
    decode_failure,
    decode_faults,
    encode_failure,
    encode_fault,
    number,
)

FAULT = Fault("out_of_bounds", "reads 4 bytes past x", "k", 7, (1, 0, 0), (31, 0, 0))
PROFILE = Profile(
    Clock.MODELLED,
    (
        KernelProfile(
            "k", Launch((8, 1, 1), (256, 1, 1), 0), 3, 0.25, {"registers": 12.0}, "memory", "DRAM, then L2",
            (HotLine(7, 0.5, "global loads"),),
        ),
    ),
)  # fmt: skip


def over_the_wire(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("fault", [FAULT, Fault("race", "two warps write one word"), None])
def test_a_failure_comes_back_as_it_was(fault: Fault | None) -> None:
    failure = RunFailure(FailureKind.LAUNCH_FAILED, "why", fault)
    assert decode_failure(over_the_wire(encode_failure(failure))) == failure


def test_faults_and_profiles_come_back_as_they_were() -> None:
    assert decode_faults(over_the_wire([encode_fault(FAULT)])) == (FAULT,)
    assert decode_profile(over_the_wire(encode_profile(PROFILE))) == PROFILE


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), 10**400, "1", None, True, [1]])
def test_only_amounts_are_numbers(value: object) -> None:
    with pytest.raises(ReplyForged):
        number(value)


@pytest.mark.parametrize(
    "forged",
    [
        None,
        {},
        [{}],
        [1],
        [{**encode_profile(PROFILE)[0], "time_ms": -1.0}],
        [{**encode_profile(PROFILE)[0], "time_ms": float("nan")}],
        [
            {
                **encode_profile(PROFILE)[0],
                "launch": {"grid": [1, 2], "block": [1, 1, 1], "dynamic_shared_bytes": 0},
            }
        ],
        [{**encode_profile(PROFILE)[0], "metrics": {"registers": "many"}}],
        [{**encode_profile(PROFILE)[0], "metrics": []}],
        [encode_profile(PROFILE)[0]] * 2000,
        [{**encode_profile(PROFILE)[0], "launches": float("inf")}],
        [{**encode_profile(PROFILE)[0], "metrics": {"registers": float("inf")}}],
        [{**encode_profile(PROFILE)[0], "metrics": {"registers": 10**400}}],
    ],
)
def test_a_made_up_profile_is_refused(forged: object) -> None:
    with pytest.raises(ReplyForged):
        decode_profile(forged)


@pytest.mark.parametrize(
    "forged", [None, {}, {"kind": "fine", "reason": "", "fault": None}, {"kind": "crashed"}]
)
def test_a_made_up_failure_is_refused(forged: object) -> None:
    with pytest.raises(ReplyForged):
        decode_failure(forged)


@pytest.mark.parametrize(
    "part",
    [
        {"line": float("inf")},
        {"line": float("nan")},
        {"line": 10**400},
        {"line": [[]]},
        {"block": [1, 2]},
        {"block": [float("inf"), 0, 0]},
        {"thread": "abc"},
        {"message": 7},
    ],
)
def test_a_made_up_fault_is_refused(part: dict[str, object]) -> None:
    with pytest.raises(ReplyForged):
        decode_faults(over_the_wire([{**encode_fault(FAULT), **part}]))


def test_texts_are_short_and_fit_to_print() -> None:
    text = "\x1b]0;title\x07 \ud800\u202e\r\n\tend" + "x" * 10_000
    (fault,) = decode_faults(over_the_wire([{**encode_fault(FAULT), "message": text}]))
    assert fault.message.startswith("?]0;title? ???\n\tend")
    assert len(fault.message) == MOST_TEXT
    assert fault.message.encode()
