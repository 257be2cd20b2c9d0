"""OpenAI's models and every server that speaks its protocols: Responses, or Chat Completions."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from cudamaster.agents.models.calling import Access, BrokenOff, asked, unbroken
from cudamaster.agents.models.model import CUT_OFF, REFUSED, STOPPED, Reply, Request
from cudamaster.agents.models.price import Price, Usage

RESPONSES = "responses"
CHAT = "chat"
PROTOCOLS = (RESPONSES, CHAT)


class OpenAIModel:
    """One model behind one protocol."""

    def __init__(
        self, model: str, access: Access, *, protocol: str, price: Price | None, holds_schema: bool
    ) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._access = access
        self._protocol = protocol
        self.price = price
        self._holds_schema = holds_schema

    @cached_property
    def _client(self) -> Any:
        import openai

        return openai.OpenAI(**self._access.client_settings(openai))

    def ask(self, request: Request) -> Reply:
        """The answer, streamed. Raises ModelMisused, ModelUnavailable."""
        import openai

        ask: Callable[[Request], Reply] = self._responses if self._protocol == RESPONSES else self._chat
        return asked(openai, self._access, self, lambda: ask(request))

    def _responses(self, request: Request) -> Reply:
        """Responses: the last event carries the whole answer."""
        asks: dict[str, Any] = {
            "model": self._model,
            "instructions": request.system,
            "input": [{"role": turn.speaker, "content": turn.text} for turn in request.turns],
            "max_output_tokens": request.max_output_tokens,
            "store": False,
        }
        if request.schema and self._holds_schema:
            asks["text"] = {"format": {"type": "json_schema", **_named(request)}}
        import openai

        final = None
        for event in unbroken(openai, self._client.responses.create(stream=True, **asks)):
            if event.type in ("response.completed", "response.incomplete", "response.failed"):
                final = event.response
            elif event.type == "error":
                raise BrokenOff(event.message)
        if final is None:
            raise BrokenOff("no final event")
        if final.status == "failed":
            raise BrokenOff(final.error.message if final.error else "it failed")
        usage = _usage_of(request, final.output_text, final.usage)
        return Reply(final.output_text, final.model, _ending_of(final), usage)

    def _chat(self, request: Request) -> Reply:
        """Chat Completions: the answer comes in pieces."""
        turns = [{"role": turn.speaker, "content": turn.text} for turn in request.turns]
        limit = "max_tokens" if self._access.base_url else "max_completion_tokens"
        asks: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "system", "content": request.system}, *turns],
            limit: request.max_output_tokens,
            "stream_options": {"include_usage": True},
        }
        if request.schema and self._holds_schema:
            asks["response_format"] = {"type": "json_schema", "json_schema": _named(request)}
        return self._joined(request, self._client.chat.completions.create(stream=True, **asks))

    def _joined(self, request: Request, stream: Any) -> Reply:
        import openai

        pieces: list[str] = []
        finished, refused, usage, model = None, False, None, self._model
        for chunk in unbroken(openai, stream):
            usage, model = chunk.usage or usage, chunk.model or model
            for choice in chunk.choices or ():
                pieces.append(choice.delta.content or "")
                refused = refused or bool(getattr(choice.delta, "refusal", None))
                finished = choice.finish_reason or finished
        if finished is None:
            raise BrokenOff("no finish reason")
        text, endings = "".join(pieces), {"length": CUT_OFF, "content_filter": REFUSED}
        ending = REFUSED if refused else endings.get(finished, STOPPED)
        return Reply(text, model, ending, _chat_usage(request, text, usage))


def _named(request: Request) -> dict[str, Any]:
    return {"name": request.role, "schema": request.schema, "strict": True}


def _ending_of(response: Any) -> str:
    parts = [part for item in response.output for part in getattr(item, "content", None) or ()]
    if any(part.type == "refusal" for part in parts):
        return REFUSED
    why = response.incomplete_details.reason if response.incomplete_details else None
    return {None: STOPPED, "content_filter": REFUSED}.get(why, CUT_OFF)


def _usage_of(request: Request, text: str, told: Any) -> Usage:
    cached = getattr(getattr(told, "input_tokens_details", None), "cached_tokens", 0)
    read, written = getattr(told, "input_tokens", 0), getattr(told, "output_tokens", 0)
    return request.usage(text, read=read, cached=cached, written=written)


def _chat_usage(request: Request, text: str, told: Any) -> Usage:
    cached = getattr(getattr(told, "prompt_tokens_details", None), "cached_tokens", 0)
    read, written = getattr(told, "prompt_tokens", 0), getattr(told, "completion_tokens", 0)
    return request.usage(text, read=read, cached=cached, written=written)
