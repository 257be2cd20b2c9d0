"""Whether a tool works on confined processes is learnt from our own kernel, never from a candidate's."""

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from cudamaster.toolchain.devices.cuda.confining import Confining

OWN, CANDIDATE = "own", "candidate"


@dataclass
class Tool:
    """What it gives of a call, by who is called and whether that is confined."""

    gives: dict[tuple[str, bool], str]
    asked: list[tuple[str, bool]] = field(default_factory=list)

    def __call__(self, build: Any, arguments: Any, confined: bool) -> str:
        self.asked.append((build, confined))
        return self.gives[build, confined]


def watching(tool: Tool) -> Confining[str]:
    return Confining(
        tool,
        lambda found: found == "report",
        lambda found: found == "not permitted",
        lambda: cast(Any, (OWN, ())),
    )


def watched(confining: Confining[str]) -> str:
    return confining.watch(cast(Any, CANDIDATE), cast(Any, ()))


def test_where_a_confined_call_is_reported_nothing_else_is_tried() -> None:
    tool = Tool({(CANDIDATE, True): "report"})
    confining = watching(tool)
    assert [watched(confining), watched(confining)] == ["report", "report"]
    assert tool.asked == [(CANDIDATE, True)] * 2


def test_a_candidate_that_fails_where_our_kernel_does_not_is_never_called_unconfined() -> None:
    tool = Tool({(CANDIDATE, True): "crash", (OWN, True): "report"})
    confining = watching(tool)
    assert [watched(confining), watched(confining)] == ["crash", "crash"]
    assert tool.asked == [(CANDIDATE, True), (OWN, True), (CANDIDATE, True)]


def test_a_tool_that_does_not_work_on_our_own_confined_kernel_watches_unconfined_ones() -> None:
    tool = Tool({(CANDIDATE, True): "nothing", (OWN, True): "nothing", (CANDIDATE, False): "report"})
    confining = watching(tool)
    assert [watched(confining), watched(confining)] == ["report", "report"]
    assert confining.confined is False
    assert tool.asked == [(CANDIDATE, True), (OWN, True), (CANDIDATE, False), (CANDIDATE, False)]


@pytest.mark.parametrize("times", [1, 2])
def test_what_is_refused_either_way_says_nothing_of_it(times: int) -> None:
    tool = Tool({(CANDIDATE, True): "not permitted"})
    confining = watching(tool)
    assert {watched(confining) for _ in range(times)} == {"not permitted"}
    assert confining.confined is None
