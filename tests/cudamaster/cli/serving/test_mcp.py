"""`cudamaster mcp` as a process: what it writes to stdout, and what it says where it cannot serve."""

import json
import subprocess
import sys
from pathlib import Path

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


def test_stdout_carries_the_protocol_alone_and_the_server_ends_with_stdin(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cudamaster", "mcp", "--out", str(tmp_path), "--runs-dir", str(tmp_path)]
    said = f"this is no message\n{json.dumps(INITIALIZE)}\n"
    done = subprocess.run(command, input=said, capture_output=True, text=True, timeout=60, check=False)
    messages = [json.loads(line) for line in done.stdout.splitlines()]

    assert done.returncode == 0
    assert messages[-1]["result"]["serverInfo"]["name"] == "cudamaster"
    assert {message["jsonrpc"] for message in messages} == {"2.0"}


def test_without_the_package_mcp_it_says_how_to_get_it() -> None:
    program = "import sys; sys.modules['mcp'] = None; from cudamaster.cli import main; main(['mcp'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert (
        done.stderr == "cudamaster: 'cudamaster mcp' needs the package mcp: pip install 'cudamaster[mcp]'\n"
    )
