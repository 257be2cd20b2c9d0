"""What the trusted side makes of replies: whoever knows a request's token can answer any JSON object."""

import json
from typing import Any

import numpy as np
import pytest

from cudamaster.toolchain.arguments import Access, Arguments, Tensor
from cudamaster.toolchain.devices.virtual.calls import (
    call_fields,
    joined,
    outputs_of,
    profiled_of,
)
from cudamaster.toolchain.outputs import FailureKind, Fault, Outputs, RunFailure
from cudamaster.toolchain.worker.hardening import WorkerLimits
from cudamaster.toolchain.worker.replies import forged, understood
from cudamaster.toolchain.worker.segment import Segment

WHOSE = "the virtual GPU"
FAULT = {
    "kind": "race",
    "message": "m",
    "kernel": None,
    "line": 1,
    "block": None,
    "thread": None,
    "other_line": None,
}


def received(text: str) -> Any:
    return json.loads(text)


@pytest.mark.parametrize(
    "reply",
    [
        "{}",
        '{"answer": ["failure"]}',
        '{"answer": [["failure", 1]]}',
        '{"answer": "failure"}',
        '{"answer": {"failure": ["kind"]}}',
        '{"answer": {"failure": {"kind": ["crashed"], "reason": "", "fault": null}}}',
        '{"answer": {"failure": {"kind": "crashed", "reason": 1, "fault": null}}}',
        '{"broken": [1]}',
    ],
)
def test_a_reply_that_is_not_of_our_program_is_a_forged_one(reply: str) -> None:
    assert understood(received(reply), WorkerLimits(), WHOSE) == forged()


def test_a_reason_can_be_printed_whatever_was_sent() -> None:
    reply = r'{"answer": {"failure": {"kind": "crashed", "reason": "\ud800\u001b[2J", "fault": null}}}'
    found = understood(received(reply), WorkerLimits(), WHOSE)
    assert found == RunFailure(FailureKind.CRASHED, "??[2J")
    found = understood(received(r'{"broken": "Traceback\nE: \udfff\u0007"}'), WorkerLimits(), WHOSE)
    assert isinstance(found, RunFailure)
    assert found.reason == "the virtual GPU itself failed on this call: E: ??"


@pytest.mark.parametrize(
    "part",
    [
        {"faults": [{**FAULT, "line": float("inf")}]},
        {"faults": {"0": FAULT}},
        {"notes": [{**FAULT, "other_line": -0.5}]},
        {"leaked_bytes": float("inf")},
        {"leaked_bytes": 10**400},
        {"seconds": "1"},
    ],
)
def test_outputs_with_a_made_up_part_are_forged(part: dict[str, object]) -> None:
    y = np.zeros(4, np.float32)
    said = {"faults": [], "notes": [], "leaked_bytes": 0, "seconds": 0.0, **part}
    arguments = Arguments((Tensor("y", y, Access.OUTPUT),), "y")
    assert outputs_of(received(json.dumps(said)), arguments, Segment({"y": y}, writable=True)) == forged()


@pytest.mark.parametrize(
    "said", [{}, {"kernels": [], "launches": float("inf")}, {"kernels": 1, "launches": 1}]
)
def test_a_made_up_profile_is_forged(said: dict[str, object]) -> None:
    assert profiled_of(received(json.dumps(said))) == forged()


def test_an_output_that_the_caller_zeroed_may_be_read_before_it_is_written() -> None:
    poison, zeros, none = (np.full(n, v, np.float32) for n, v in ((4, np.nan), (4, 0.0), (0, np.nan)))
    named = {"poison": poison, "zeros": zeros, "none": none}
    items = (Tensor("x", poison, Access.INPUT), *(Tensor(k, v, Access.OUTPUT) for k, v in named.items()))
    (segment,) = call_fields(Arguments(items, "call"), (Segment(named, writable=True),))["segments"]
    assert segment["blank"] == ["poison"]


PLAIN, ATOMIC = "st.global.f32 [%rd1], %f1;", "atom.global.add.f32 %f2, [%rd1], %f1;"
RACE, DOUBT = Fault("race", "a race"), Fault("uninitialised", "a doubt")


def called(value: float, **details: Any) -> Outputs:
    usual = {"changed_inputs": (), "overwritten_guards": (), "faults": (), "leaked_bytes": 0, "seconds": 0.1}
    return Outputs(arrays={"y": np.full(4, value, np.float32)}, **(usual | details))


@pytest.mark.parametrize(
    ("second", "ptx", "kinds"),
    [
        (called(1.0), PLAIN, []),
        (called(1.0, notes=(DOUBT,)), PLAIN, []),
        (called(1.0, faults=(RACE,)), PLAIN, ["race"]),
        (called(2.0), PLAIN, ["order_dependent"]),
        (called(2.0), ATOMIC, []),
        (called(2.0, faults=(RACE,), notes=(DOUBT,)), PLAIN, ["race"]),
        (called(2.0, notes=(DOUBT,)), PLAIN, ["uninitialised"]),
        (RunFailure(FailureKind.LAUNCH_FAILED, "hangs", Fault("deadlock", "hangs")), PLAIN, ["deadlock"]),
        (RunFailure(FailureKind.CRASHED, "crashed"), PLAIN, ["order_dependent"]),
    ],
)
def test_a_watched_call_adds_what_it_found_before_what_its_order_changed(
    second: Outputs | RunFailure, ptx: str, kinds: list[str]
) -> None:
    assert [fault.kind for fault in joined(called(1.0), second, ptx).faults] == kinds


def test_a_leak_is_what_both_calls_leave() -> None:
    first = called(1.0, leaked_bytes=4096)
    assert joined(first, called(1.0), PLAIN).leaked_bytes == 0
    assert joined(first, called(1.0, leaked_bytes=512), PLAIN).leaked_bytes == 512
