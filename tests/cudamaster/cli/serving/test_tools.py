"""What a coding agent can do with `cudamaster mcp` alone: the official client, the real virtual GPU."""

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from cudamaster.cli.boundary import exit_code_of
from tests.cudamaster.cli.serving.outside_agent import (
    HEADER,
    PAGE,
    ROWS_BY_WARPS,
    SHAPE,
    TASK,
    OutsideAgent,
    connected,
    descendants,
)

TOOLS = ["list_operators", "get_task", "evaluate_kernel", "profile_kernel", "submit_kernel", "leaderboard"]


def host_code(body: str, includes: str = "") -> str:
    """A kernel file whose entry does this."""
    return f"{includes}\n{HEADER}{body}\n}}\n"


ENDLESS = host_code("for (volatile int i = 0;; i = i + 1) {}")


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OutsideAgent]:
    with connected(tmp_path_factory.mktemp("outside")) as outside:
        yield outside


def test_an_agent_wins_an_operator_with_the_tools_alone(agent: OutsideAgent) -> None:
    names = [operator["name"] for operator in agent.call("list_operators")["operators"]]
    task = agent.call("get_task", **TASK)
    wrong = agent.call("evaluate_kernel", **TASK, source=ROWS_BY_WARPS.replace("step /= 2", "step /= 4"))
    right = agent.call("evaluate_kernel", **TASK, source=ROWS_BY_WARPS)
    profile = agent.call("profile_kernel", **TASK, source=ROWS_BY_WARPS)
    submission = agent.call("submit_kernel", **TASK, source=ROWS_BY_WARPS, note="a warp for each row")
    (row,) = agent.call("leaderboard", operator="spmv")["results"]

    assert "spmv_csr" in names
    assert task["signature"] in HEADER.replace("\n                         ", " ").replace(
        ", cudaStream_t stream", ""
    )
    assert task["baseline"]["evaluation"]["speedup"]["geomean"] == 1.0
    assert task["baseline"]["profile"]["kernels"][0]["bound"]
    assert (wrong["status"], "speedup" in wrong) == ("wrong", False)
    assert (right["schema"], right["status"]) == ("cudamaster.evaluation/1", "correct")
    assert profile["kernels"][0]["metrics"]["duration"]["unit"] == "us"
    assert profile["workload"]["set"] == "user"
    assert submission["stored"]
    assert row["speedup"]["low"] > 2
    assert (row["change"], row["shapes"]) == ("a warp for each row", [SHAPE])
    assert Path(row["kernel"]).read_text() == ROWS_BY_WARPS
    assert exit_code_of(["verify", submission["record"], "--on-paper"]) == 0
    record = json.loads(Path(submission["record"]).read_text())
    assert record["evaluation"]["seed"] != right["seed"], "judged on inputs the agent has not seen"
    assert any("timing" in words for words in agent.heard)


def test_the_guide_lists_the_tools_there_are_and_what_its_kernel_does(agent: OutsideAgent) -> None:
    listed = agent.portal.call(agent.client.list_tools)
    (short_rows,) = re.findall(r"On `(rows=\S+)` it is\nslower", PAGE)
    slower = agent.call("evaluate_kernel", **TASK | {"shapes": [short_rows]}, source=ROWS_BY_WARPS)

    assert [tool.name for tool in listed.tools] == TOOLS
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == TOOLS
    assert slower["status"] == "correct"
    assert slower["speedup"]["high"] < 1


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("evaluate_kernel", {}, "operator: Field required"),
        ("evaluate_kernel", TASK | {"source": 7}, "source: Input should be a valid string"),
        ("evaluate_kernel", TASK | {"source": " "}, "source is empty"),
        ("evaluate_kernel", TASK | {"source": "x" * (1 << 21)}, "source is over 1 MiB"),
        ("evaluate_kernel", TASK | {"source": "x", "precision": "fp8"}, "there are fp32 and bf16"),
        ("profile_kernel", TASK | {"source": "x", "operator": "spvm_csr"}, "nearest: spmv_csr"),
        ("get_task", TASK | {"shapes": ["N=3"]}, "it takes rows, cols"),
        ("get_task", TASK | {"shapes": SHAPE}, "shapes: Input should be a valid list"),
        ("leaderboard", {"operator": "nope"}, "no operator is called 'nope'"),
        ("make_coffee", {}, "Unknown tool: make_coffee"),
    ],
)
def test_a_malformed_call_is_answered_in_one_sentence(
    agent: OutsideAgent, tool: str, arguments: dict[str, Any], said: str
) -> None:
    sentence = agent.refused(tool, **arguments)
    assert said in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("source", "status"),
    [
        (host_code('printf("{}\\n"); fflush(stdout);', "#include <cstdio>"), "wrong"),
        (host_code("exit(0);", "#include <cstdlib>"), "launch_failed"),
        (host_code('system("true");', "#include <cstdlib>"), "cheated"),
        ('#error "no"', "build_failed"),
    ],
)
def test_a_hostile_kernel_is_a_verdict_and_harms_nothing(
    agent: OutsideAgent, source: str, status: str
) -> None:
    assert agent.call("evaluate_kernel", **TASK, source=source)["status"] == status
    assert agent.call("leaderboard")["schema"] == "cudamaster.leaderboard/1"


def test_two_calls_at_once_are_judged_one_after_another(agent: OutsideAgent) -> None:
    answers = []

    async def ask(source: str) -> None:
        answers.append(await agent.answer("evaluate_kernel", TASK | {"source": source}))

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(ask, ROWS_BY_WARPS + "// one")
            group.start_soon(ask, ROWS_BY_WARPS + "// other")

    agent.heard.clear()
    agent.portal.call(both)
    assert [answer.structured_content["status"] for answer in answers] == ["correct", "correct"]
    assert sum("waiting" in words for words in agent.heard) == 1


def test_a_cancelled_call_ends_and_the_next_is_answered(agent: OutsideAgent) -> None:
    async def give_up() -> bool:
        with anyio.move_on_after(1.0) as patience:
            await agent.answer("evaluate_kernel", TASK | {"source": ENDLESS})
        return patience.cancelled_caught

    assert agent.portal.call(give_up)
    assert agent.call("evaluate_kernel", **TASK, source=ROWS_BY_WARPS)["status"] == "correct"


def test_where_the_process_that_judges_is_lost_the_call_says_so_and_the_next_is_answered(
    agent: OutsideAgent,
) -> None:
    async def lose() -> str:
        async with anyio.create_task_group() as group:
            group.start_soon(kill_when_it_runs)
            lost = await agent.answer("evaluate_kernel", TASK | {"source": ENDLESS})
        sentence: str = lost.content[0].text
        return sentence

    async def kill_when_it_runs() -> None:
        while not any("running on" in words for words in agent.heard):
            await anyio.sleep(0.1)
        (judging,) = descendants(os.getpid(), "spawn_main")
        os.kill(judging, signal.SIGKILL)

    agent.heard.clear()
    assert "the process that judges kernels ended on its own" in agent.portal.call(lose)
    assert agent.call("evaluate_kernel", **TASK, source=ROWS_BY_WARPS)["status"] == "correct"
