"""Anthropic's models, over Messages."""

from functools import cached_property
from typing import Any

from cudamaster.agents.models.calling import Access, BrokenOff, asked, unbroken
from cudamaster.agents.models.model import CUT_OFF, REFUSED, STOPPED, Reply, Request
from cudamaster.agents.models.price import Price, Usage

ENDINGS = {"max_tokens": CUT_OFF, "model_context_window_exceeded": CUT_OFF, "refusal": REFUSED}


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

        return asked(anthropic, self._access, self, lambda: self._answer(request))

    def _answer(self, request: Request) -> Reply:
        message = self._message(request)
        text, ending = _text_of(message), ENDINGS.get(message.stop_reason, STOPPED)
        return Reply(text, message.model, ending, _usage_of(request, text, message.usage))

    def _message(self, request: Request) -> Any:
        import anthropic

        asks: dict[str, Any] = {
            "model": self._model,
            "max_tokens": request.max_output_tokens,
            "system": [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": turn.speaker, "content": turn.text} for turn in request.turns],
        }
        if request.schema:
            asks["output_config"] = {"format": {"type": "json_schema", "schema": request.schema}}
        message = None
        with self._client.messages.stream(**asks) as stream:
            for event in unbroken(anthropic, stream):
                if event.type == "message_stop":
                    message = event.message
        if message is None:
            raise BrokenOff("no message_stop")
        return message


def _text_of(message: Any) -> str:
    """The text, without what was thought."""
    return "".join(block.text for block in message.content if block.type == "text")


def _usage_of(request: Request, text: str, told: Any) -> Usage:
    """Anthropic counts cached tokens apart. Writing the cache costs a quarter more, which is left out."""
    fresh, read, written = (
        getattr(told, name, None) or 0
        for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    all_read = fresh + read + written
    return request.usage(text, read=all_read, cached=read, written=getattr(told, "output_tokens", 0))
