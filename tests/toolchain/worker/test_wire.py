"""Messages: whole however they are cut, and nothing else."""

import os
import socket

import pytest

from cudamaster.toolchain.worker.wire import (
    MOST_BYTES,
    ConnectionEnded,
    MessageBuffer,
    WireBroken,
    encode,
    receive_message,
    send_message,
)


def test_messages_and_files_arrive_in_order() -> None:
    ours, theirs = socket.socketpair()
    read, write = os.pipe()
    send_message(ours, {"a": 1}, [write])
    send_message(ours, {"b": [2.5, None, "é"]})
    first, files = receive_message(theirs)
    assert first == {"a": 1}
    os.write(files[0], b"x")
    assert os.read(read, 1) == b"x"
    assert receive_message(theirs) == ({"b": [2.5, None, "é"]}, [])
    ours.close()
    with pytest.raises(ConnectionEnded):
        receive_message(theirs)
    theirs.close()
    for file in (read, write, *files):
        os.close(file)


def test_a_buffer_puts_cut_messages_together() -> None:
    buffer, frame = MessageBuffer(), encode({"a": "b" * 100})
    for byte in frame[:-1]:
        assert buffer.feed(bytes([byte])) is None
    assert buffer.feed(frame[-1:]) == {"a": "b" * 100}
    assert buffer.feed(encode({})) == {}


@pytest.mark.parametrize(
    "forged",
    [
        (MOST_BYTES + 1).to_bytes(4, "little"),
        b"\x02\0\0\0[]",
        b"\x02\0\0\0{]",
        b"\x02\0\0\0\xff\xff",
        encode({}) + b"x",
        len(b"[" * 100_000).to_bytes(4, "little") + b"[" * 100_000,
    ],
    ids=["too long", "no object", "no JSON", "no text", "more behind it", "deep"],
)
def test_anything_else_is_refused(forged: bytes) -> None:
    with pytest.raises(WireBroken):
        MessageBuffer().feed(forged)
