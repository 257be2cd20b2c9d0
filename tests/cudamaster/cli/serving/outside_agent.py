"""A coding agent from outside, as a script: the official client on `cudamaster mcp` in its own process."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters

SHAPE = "rows=300,cols=300,nnz_per_row=64,pattern=uniform"
TASK = {"operator": "spmv", "precision": "fp32", "shapes": [SHAPE]}
PAGE = (Path(__file__).parents[4] / "docs" / "for-coding-agents.md").read_text()
ROWS_BY_WARPS = PAGE.partition("```cuda\n")[2].partition("```")[0]
"""The kernel that the guide shows: a row for each warp, where the baseline has a row for each thread."""

HEADER = ROWS_BY_WARPS[ROWS_BY_WARPS.index('extern "C"') : ROWS_BY_WARPS.index("row_for_each_warp<<<")]
"""The entry up to its body."""


@dataclass
class OutsideAgent:
    """Calls tools and waits for what they say."""

    client: Client
    portal: BlockingPortal
    results: Path
    heard: list[str] = field(default_factory=list)
    """What the server said while it worked, over all calls."""

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The document that the tool answers with."""
        answer = self.portal.call(self.answer, tool, arguments)
        assert not answer.is_error, answer.content
        document: dict[str, Any] = answer.structured_content
        return document

    def refused(self, tool: str, **arguments: Any) -> str:
        """What the tool says where it does not answer."""
        answer = self.portal.call(self.answer, tool, arguments)
        assert answer.is_error
        sentence: str = answer.content[0].text
        return sentence

    async def answer(self, tool: str, arguments: dict[str, Any]) -> Any:
        """The raw answer."""
        return await self.client.call_tool(tool, arguments, progress_callback=self._hear)

    async def _hear(self, progress: float, total: float | None, message: str | None) -> None:
        self.heard.append(message or "")


@contextmanager
def connected(folder: Path) -> Iterator[OutsideAgent]:
    """An agent whose server keeps everything in `folder`."""
    results = folder / "results"
    places = ["--out", str(results), "--runs-dir", str(folder / "runs")]
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "cudamaster", "mcp", "--device", "virtual", *places],
        env=dict(os.environ),
    )
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:
        yield OutsideAgent(client, portal, results)


def descendants(process: int, command: str = "") -> set[int]:
    """All that it started, and what those started; only those with this in their command line."""
    listed = subprocess.run(
        ["ps", "-eww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
    found: set[int] = set()
    fresh = {process}
    while fresh := {int(pid) for pid, parent, _ in rows if int(parent) in fresh}:
        found |= fresh
    return found & {int(pid) for pid, _, arguments in rows if command in arguments}


def alive(processes: set[int]) -> set[int]:
    """Those that have not ended."""
    listed = subprocess.run(["ps", "-eo", "pid=,stat="], capture_output=True, text=True, check=True)
    running = {int(pid) for pid, state in map(str.split, listed.stdout.splitlines()) if state[0] != "Z"}
    return processes & running
