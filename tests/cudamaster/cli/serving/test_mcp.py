"""`cudamaster mcp` as a process: what it writes to stdout, and what it says where it cannot serve."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from cudamaster.own_version import own_version
from tests.cudamaster.cli.serving.outside_agent import HEADER, TASK, alive, descendants

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "1"},
    },
}


def command(folder: Path) -> list[str]:
    places = ["--out", str(folder), "--runs-dir", str(folder)]
    return [sys.executable, "-m", "cudamaster", "mcp", "--device", "virtual", *places]


def test_stdout_carries_the_protocol_alone_and_the_server_ends_with_stdin(tmp_path: Path) -> None:
    said = f"this is no message\n{json.dumps(INITIALIZE)}\n"
    done = subprocess.run(
        command(tmp_path), input=said, capture_output=True, text=True, timeout=60, check=False
    )
    messages = [json.loads(line) for line in done.stdout.splitlines()]

    assert done.returncode == 0
    server = messages[-1]["result"]["serverInfo"]
    assert (server["name"], server["version"]) == ("cudamaster", own_version())
    assert {message["jsonrpc"] for message in messages} == {"2.0"}


def test_where_the_server_is_killed_nothing_that_it_started_goes_on(tmp_path: Path) -> None:
    endless = HEADER + "for (volatile int i = 0;; i = i + 1) {}\n}"
    arguments = TASK | {"source": endless}
    evaluate = {"name": "evaluate_kernel", "arguments": arguments, "_meta": {"progressToken": 1}}
    messages: list[dict[str, Any]] = [
        INITIALIZE,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": evaluate,
        },
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(command(tmp_path), stdin=pipe, stdout=pipe, text=True, cwd=tmp_path) as server:
        assert server.stdin
        assert server.stdout
        for message in messages:
            server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        while "running on" not in server.stdout.readline():
            pass
        started = descendants(server.pid)
        server.kill()
    until = time.monotonic() + 10
    while alive(started) and time.monotonic() < until:
        time.sleep(0.1)

    assert len(started) > 1
    assert alive(started) == set()


def test_without_the_package_mcp_it_says_how_to_get_it() -> None:
    program = "import sys; sys.modules['mcp'] = None; from cudamaster.cli import main; main(['mcp'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert (
        done.stderr
        == "cudamaster: 'cudamaster mcp' needs the package mcp: pip install -e '.[mcp]' in the clone\n"
    )
