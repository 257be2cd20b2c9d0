"""Anthropic's models, over Messages."""

import json
import time
from functools import cached_property
from typing import Any

from cudamaster.agents.models.calling import Access, BrokenOff, asked, unbroken
from cudamaster.agents.models.model import CUT_OFF, REFUSED, STOPPED, Reply, Request
from cudamaster.agents.models.price import Price, Usage

ENDINGS = {"max_tokens": CUT_OFF, "model_context_window_exceeded": CUT_OFF, "refusal": REFUSED}
ANSWER = "answer"
"""Name of the tool that a structured answer is the input of."""


class AnthropicModel:
    """One model."""

    def __init__(self, model: str, access: Access, *, price: Price | None) -> None:
        self.name = f"anthropic:{model}"
        self._model = model
        self._access = access
        self.price = price

    @cached_property
    def _client(self) -> Any:
        import anthropic

        return anthropic.Anthropic(**self._access.client_settings(anthropic))

    def ask(self, request: Request) -> Reply:
        """The answer, streamed. Raises ModelMisused, ModelUnavailable."""
        import anthropic

        begun = time.monotonic()
        message = asked(anthropic, self._access, self.name, lambda: self._message(request))
        usage = _usage_of(message.usage)
        cost = None if self.price is None else self.price.cost_usd(usage)
        ending = ENDINGS.get(message.stop_reason, STOPPED)
        return Reply(
            _text_of(message), message.model, ending, usage, cost, round(time.monotonic() - begun, 3)
        )

    def _message(self, request: Request) -> Any:
        import anthropic

        asks: dict[str, Any] = {
            "model": self._model,
            "max_tokens": request.max_output_tokens,
            "system": [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": turn.speaker, "content": turn.text} for turn in request.turns],
        }
        if request.schema:
            tool = {"name": ANSWER, "description": "Gives the answer.", "input_schema": request.schema}
            asks |= {"tools": [tool], "tool_choice": {"type": "tool", "name": ANSWER}}
        message = None
        with self._client.messages.stream(**asks) as stream:
            for event in unbroken(anthropic, stream):
                if event.type == "message_stop":
                    message = event.message
        if message is None:
            raise BrokenOff("no message_stop")
        return message


def _text_of(message: Any) -> str:
    """The text, or the input of the answering tool."""
    for block in message.content:
        if block.type == "tool_use":
            return json.dumps(block.input)
    return "".join(block.text for block in message.content if block.type == "text")


def _usage_of(usage: Any) -> Usage:
    """Anthropic counts cached tokens apart. Writing the cache costs a quarter more, which is left out."""
    read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    return Usage(usage.input_tokens + read + written, read, usage.output_tokens)
