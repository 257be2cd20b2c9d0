"""A local server that speaks Responses, Chat Completions and Messages, and misbehaves as told."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Act:
    """What the server does with one request."""

    text: str = ""
    status: int = 200
    retry_after: str | None = None
    ending: str = "stop"
    """`stop`, `length` or `refusal`."""
    breaks_off: bool = False
    """Closes the connection in the middle of the answer."""
    pause: float = 0.0
    """Seconds of silence in the middle of the answer."""
    tokens: tuple[int, int, int] | None = (100, 40, 20)
    """Read, of these cached, written; None to say nothing of them."""
    body: bytes | None = None
    """Sent in place of an answer."""
    kind: str = "text/event-stream"
    """What the body is said to be."""
    drip: float = 0.0
    """Seconds before each byte of the body."""


@dataclass
class Asked:
    """One request as it came in."""

    path: str
    body: Json
    headers: dict[str, str]

    @property
    def system(self) -> str:
        """What the model is told to be."""
        if "instructions" in self.body:
            return str(self.body["instructions"])
        if "system" in self.body:
            return str(self.body["system"][0]["text"])
        return str(self.body["messages"][0]["content"])

    @property
    def task(self) -> str:
        """The user's first turn."""
        turns = self.body.get("input") or [t for t in self.body["messages"] if t["role"] != "system"]
        return str(turns[0]["content"])

    @property
    def last(self) -> str:
        """The last turn."""
        return str((self.body.get("input") or self.body["messages"])[-1]["content"])


@dataclass
class ModelServer:
    """Answers by `answer`; keeps what was asked."""

    answer: Callable[[Asked], Act]
    asked: list[Asked] = field(default_factory=list)
    url: str = ""

    def saying(self, *acts: Act) -> None:
        """Act in this order, the last again and again."""
        left = list(acts)
        self.answer = lambda _: left.pop(0) if len(left) > 1 else left[0]


@contextmanager
def model_server(answer: Callable[[Asked], Act] = lambda _: Act("hello")) -> Iterator[ModelServer]:
    """A server on a free port of this machine."""
    server = ModelServer(answer)
    http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": server}))
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()


class _Handler(BaseHTTPRequestHandler):
    model: ModelServer

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = Asked(self.path, body, dict(self.headers))
        self.model.asked.append(asked)
        act = self.model.answer(asked)
        if act.status != 200:
            self._refuse(act)
        else:
            with suppress(BrokenPipeError, ConnectionResetError):  # the client was tired of waiting
                self._send(act.kind, act.body, act.drip) if act.body is not None else self._stream(asked, act)

    def _start(self, kind: str, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def _refuse(self, act: Act) -> None:
        headers = {"Retry_After": act.retry_after} if act.retry_after else {}
        self._start("application/json", act.status, **headers)
        key = self.headers.get("Authorization", self.headers.get("x-api-key", ""))
        error = {"type": "error", "message": f"{act.text or 'no'} (key {key})"}
        self.wfile.write(json.dumps({"type": "error", "error": error}).encode())

    def _send(self, kind: str, body: bytes, drip: float) -> None:
        self._start(kind)
        for piece in (body[i : i + 1] for i in range(len(body))) if drip else (body,):
            threading.Event().wait(drip)
            self.wfile.write(piece)
            self.wfile.flush()

    def _stream(self, asked: Asked, act: Act) -> None:
        makers = {"/v1/responses": responses, "/v1/chat/completions": chat, "/v1/messages": messages}
        events = makers[asked.path](asked, act)
        self._start("text/event-stream")
        for number, event in enumerate(events):
            if number == len(events) // 2:
                if act.breaks_off:
                    return
                threading.Event().wait(act.pause)
            name = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
        if asked.path == "/v1/chat/completions":
            self.wfile.write(b"data: [DONE]\n\n")


def pieces(text: str) -> list[str]:
    """The text in a few parts."""
    step = max(1, len(text) // 3)
    return [text[i : i + step] for i in range(0, len(text), step)] or [""]


def responses(asked: Asked, act: Act) -> list[Json]:
    """The events of Responses."""
    read, cached, written = act.tokens or (0, 0, 0)
    part = {"type": "refusal", "refusal": "no"} if act.ending == "refusal" else None
    content: Json = part or {"type": "output_text", "text": act.text, "annotations": []}
    cut = act.ending == "length"
    final = {
        "id": "r", "object": "response", "created_at": 0, "model": f"{asked.body['model']}-served",
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": [
            {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [content]}
        ],
        "parallel_tool_calls": False, "tool_choice": "auto", "tools": [],
        "usage": {
            "input_tokens": read, "input_tokens_details": {"cached_tokens": cached}, "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": read + written,
        } if act.tokens else None,
    }  # fmt: skip
    begun = final | {"status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    deltas = [
        {"type": "response.output_text.delta", "delta": piece, "item_id": "m", "output_index": 0,
         "content_index": 0, "sequence_number": 1, "logprobs": []}
        for piece in pieces(act.text)
    ]  # fmt: skip
    last = {"type": "response.incomplete" if cut else "response.completed", "response": final}
    return [
        {"type": "response.created", "response": begun, "sequence_number": 0},
        *deltas,
        last | {"sequence_number": 9},
    ]


def chat(asked: Asked, act: Act) -> list[Json]:
    """The events of Chat Completions."""
    read, cached, written = act.tokens or (0, 0, 0)
    reasons = {"stop": "stop", "length": "length", "refusal": "content_filter"}

    def chunk(choices: list[Json], usage: Json | None = None) -> Json:
        return {
            "id": "c", "object": "chat.completion.chunk", "created": 0, "choices": choices, "usage": usage,
            "model": f"{asked.body['model']}-served",
        }  # fmt: skip

    texts = [
        chunk([{"index": 0, "delta": {"content": piece}, "finish_reason": None}])
        for piece in pieces(act.text)
    ]
    usage = {
        "prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": cached},
    }  # fmt: skip
    return [
        *texts,
        chunk([{"index": 0, "delta": {}, "finish_reason": reasons[act.ending]}]),
        *([chunk([], usage)] if act.tokens else []),
    ]


def messages(asked: Asked, act: Act) -> list[Json]:
    """The events of Messages, after a thought; held to a schema, the text is bare JSON."""
    read, cached, written = act.tokens or (0, 0, 0)
    reasons = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"}
    message: Json = {
        "id": "m", "type": "message", "role": "assistant", "content": [], "stop_reason": None,
        "stop_sequence": None, "model": f"{asked.body['model']}-served",
        "usage": {"input_tokens": read - cached, "cache_read_input_tokens": cached, "output_tokens": 1},
    }  # fmt: skip
    held = "output_config" in asked.body
    text = act.text.strip().removeprefix("```json\n").removesuffix("\n```") if held else act.text
    thought = {"type": "thinking", "thinking": "", "signature": ""}
    thinking = {"type": "thinking_delta", "thinking": "Let me see."}
    stop = {"stop_reason": reasons[act.ending], "stop_sequence": None}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": thought},
        {"type": "content_block_delta", "index": 0, "delta": thinking},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": piece}}
            for piece in pieces(text)
        ),
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": written}},
        {"type": "message_stop"},
    ]
