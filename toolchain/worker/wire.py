"""Messages between the trusted process, the zygote and its children: a length, JSON, and open files.

The trusted side reads a child's bytes with `MessageBuffer` and believes nothing in them: a child sends no
open files, no pickles and no long messages.
"""

import json
import socket
import struct
from collections.abc import Mapping, Sequence
from typing import Any

LENGTH = struct.Struct("<I")
MOST_BYTES = 16 << 20
MOST_FILES = 16

Message = dict[str, Any]


class WireBroken(Exception):
    """The other side sent something that is no message."""


class ConnectionEnded(Exception):
    """The other side closed the connection."""


def encode(message: Mapping[str, Any]) -> bytes:
    """The bytes of one message."""
    text = json.dumps(message).encode()
    return LENGTH.pack(len(text)) + text


def send_message(connection: socket.socket, message: Mapping[str, Any], files: Sequence[int] = ()) -> None:
    """Send one message with open `files`. Raises ConnectionEnded."""
    frame = encode(message)
    try:
        sent = socket.send_fds(connection, [frame], list(files)) if files else 0
        connection.sendall(frame[sent:])
    except (BrokenPipeError, ConnectionResetError) as ended:
        raise ConnectionEnded from ended


def receive_message(connection: socket.socket) -> tuple[Message, list[int]]:
    """Wait for one message and the open files sent with it. Raises ConnectionEnded, WireBroken."""
    first, files, _, _ = socket.recv_fds(connection, LENGTH.size, MOST_FILES)
    head = first + _receive(connection, LENGTH.size - len(first))
    return _decode(_receive(connection, _length(head))), files


def _receive(connection: socket.socket, count: int) -> bytes:
    received = bytearray()
    while len(received) < count:
        chunk = connection.recv(min(count - len(received), 1 << 20))
        if not chunk:
            raise ConnectionEnded
        received += chunk
    return bytes(received)


class MessageBuffer:
    """Puts messages together from the bytes an untrusted process sends, however it cuts them."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, chunk: bytes) -> Message | None:
        """Take `chunk` in; the message it completes, if any. Raises WireBroken, also for two at a time."""
        self._bytes += chunk
        if len(self._bytes) < LENGTH.size:
            return None
        end = LENGTH.size + _length(self._bytes)
        if len(self._bytes) < end:
            return None
        if len(self._bytes) > end:
            raise WireBroken("more than one message at a time")
        message = _decode(bytes(self._bytes[LENGTH.size :]))
        self._bytes.clear()
        return message


def _length(head: bytes | bytearray) -> int:
    length = int(LENGTH.unpack_from(head)[0])
    if length > MOST_BYTES:
        raise WireBroken(f"a message of {length} bytes")
    return length


def _decode(text: bytes) -> Message:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as failure:
        raise WireBroken(f"no JSON: {failure}") from failure
    if not isinstance(message, dict):
        raise WireBroken("no JSON object")
    return message
