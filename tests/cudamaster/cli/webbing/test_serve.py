"""`cudamaster web serve` as a process: what it says, whom it lets in, how it ends."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.request import urlopen

import pytest

from cudamaster.cli.boundary import exit_code_of

Output = pytest.CaptureFixture[str]


@contextmanager
def serving(folder: Path, *more: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The process and the address it says."""
    where = ("--runs-dir", str(folder), "--results", str(folder), "--port", "0")
    command = [sys.executable, "-m", "cudamaster", "web", "serve", *where, *more]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield process, found[0]
    finally:
        process.kill()
        process.wait()


def said_at_its_end(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.wait(10) == 130
    return process.stdout.read() + process.stderr.read()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_while_a_page_listens(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path) as (process, address), urlopen(f"{address}runs/events") as events:
        assert events.readline().startswith(b"retry: ")
        process.send_signal(number)
        assert said_at_its_end(process) == "\ncudamaster: interrupted\n"


def test_elsewhere_than_on_loopback_it_makes_a_token_and_logs_none(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0") as (process, address):
        port, token = re.findall(r":(\d+)/\?token=(\S{32,})$", address)[0]
        connection = HTTPConnection("127.0.0.1", int(port))
        answers = []
        for path in ("/runs/", f"/runs/?token={token}", f"/runs/none/?token={token}x", "/%zz"):
            connection.request("GET", path)
            answer = connection.getresponse()
            answers.append(answer.status)
            answer.read()
        assert answers == [403, 303, 403, 403]
        process.send_signal(signal.SIGINT)
        assert said_at_its_end(process) == "\ncudamaster: interrupted\n"


def test_a_token_may_come_where_the_list_of_processes_does_not_show_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDAMASTER_WEB_TOKEN", "of the owner alone")
    with serving(tmp_path) as (process, address):
        assert address.endswith("?token=of%20the%20owner%20alone")
        assert b"owner" not in Path(f"/proc/{process.pid}/cmdline").read_bytes()
        connection = HTTPConnection("127.0.0.1", int(address.split(":")[2].partition("/")[0]))
        connection.request("GET", "/runs/")
        assert connection.getresponse().status == 403


def test_a_port_in_use_is_one_sentence_and_3(tmp_path: Path, capsys: Output) -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        arguments = ["web", "serve", "--port", str(port), "--runs-dir", str(tmp_path)]
        assert exit_code_of(arguments) == 3
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        f"cudamaster: port {port} on 127.0.0.1 is in use: give another, or --port 0 for any free\n"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--run", "none"], "there are no runs in"),
        (["--host", "203.0.113.7"], "--host 203.0.113.7 is no address of this machine"),
        (["--token", " "], "it is empty"),
        (["--port", "65536"], "65536"),
    ],
)
def test_what_cannot_be_followed_is_2(
    tmp_path: Path, capsys: Output, arguments: list[str], words: str
) -> None:
    assert exit_code_of(["web", "serve", "--port", "0", "--runs-dir", str(tmp_path), *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_file_in_the_place_of_the_runs_is_one_sentence_and_3(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs").touch()
    monkeypatch.setenv("CUDAMASTER_RUNS_DIR", str(tmp_path / "runs"))
    assert exit_code_of(["web", "serve", "--port", "0"]) == 3
    assert "runs cannot be used (Not a directory)" in capsys.readouterr().err


def test_the_address_leads_to_the_run_that_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "20260101-000000-relu-fp32-0000").mkdir()
    (tmp_path / "20260101-000000-relu-fp32-0000/journal.jsonl").touch()
    with serving(tmp_path, "--run", "2026") as (_, address), urlopen(address) as answer:
        assert address.endswith("/runs/20260101-000000-relu-fp32-0000/")
        assert b"the run has not begun yet" in answer.read()


def test_an_unknown_subcommand_names_the_nearest(capsys: Output) -> None:
    assert exit_code_of(["web", "sevre"]) == 2
    assert "did you mean serve? See 'cudamaster web --help'." in capsys.readouterr().err
