"""A worker's end in one sentence."""

from dataclasses import replace

import pytest

from cudamaster.toolchain.worker.ending import WorkerEnd

LIVED = WorkerEnd(
    exit_code=None,
    signal_name=None,
    timed_out=False,
    forged=False,
    printed="",
    peak_bytes=1 << 20,
    memory_bytes=2 << 30,
    limit_seconds=1.5,
)


@pytest.mark.parametrize(
    ("end", "sentence"),
    [
        (replace(LIVED, exit_code=0), "the entry ended the process with exit(0)"),
        (replace(LIVED, exit_code=3, printed="a\nlast words\n\n"), 'exit(3) after printing "last words"'),
        (replace(LIVED, exit_code=3, printed="\x1b[2Jgone\x07"), 'exit(3) after printing "?[2Jgone?"'),
        (replace(LIVED, signal_name="SIGSEGV"), "the entry crashed with SIGSEGV"),
        (replace(LIVED, timed_out=True), "the call did not end within 1.5 s"),
        (replace(LIVED, timed_out=True, computed=True), "did not end within 1.5 s of processor time"),
        (replace(LIVED, forged=True), "wrote into the harness's own channel"),
        (replace(LIVED, signal_name="SIGKILL"), "probably for its memory (limit 2 GiB)"),
        (replace(LIVED, signal_name="SIGXCPU"), "processor time"),
        (replace(LIVED, signal_name="SIGSYS"), "start a process or a program"),
        (replace(LIVED, signal_name="SIGSYS", printed="system call 9999 is denied"), "start a process"),
        (
            replace(LIVED, signal_name="SIGABRT", printed="what():  std::bad_alloc"),
            "ran out of memory (limit 2 GiB)",
        ),
    ],
)
def test_each_end_has_its_sentence(end: WorkerEnd, sentence: str) -> None:
    assert sentence in end.reason
    assert "\n" not in end.reason
