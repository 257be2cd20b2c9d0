"""OpenAI's models and every server that speaks its protocols: Responses, or Chat Completions."""

import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

from cudamaster.agents.models.calling import Access, BrokenOff, asked, unbroken
from cudamaster.agents.models.model import CUT_OFF, REFUSED, STOPPED, Reply, Request
from cudamaster.agents.models.price import Price, Usage

RESPONSES = "responses"
CHAT = "chat"


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
        begun = time.monotonic()
        reply = asked(openai, self._access, self.name, lambda: ask(request))
        cost = None if self.price is None else self.price.cost_usd(reply.usage)
        return Reply(
            reply.text, reply.model, reply.ending, reply.usage, cost, round(time.monotonic() - begun, 3)
        )

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
        if final is None or final.status == "failed":
            raise BrokenOff("no final event")
        return Reply(final.output_text, final.model, _ending_of(final), _usage_of(final.usage))

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
        return self._joined(self._client.chat.completions.create(stream=True, **asks))

    def _joined(self, stream: Any) -> Reply:
        import openai

        pieces: list[str] = []
        finished, refused, usage, model = None, False, Usage(), self._model
        for chunk in unbroken(openai, stream):
            usage, model = _chat_usage(chunk.usage) or usage, chunk.model or model
            for choice in chunk.choices:
                pieces.append(choice.delta.content or "")
                refused = refused or bool(getattr(choice.delta, "refusal", None))
                finished = choice.finish_reason or finished
        if finished is None:
            raise BrokenOff("no finish reason")
        endings = {"length": CUT_OFF, "content_filter": REFUSED}
        return Reply("".join(pieces), model, REFUSED if refused else endings.get(finished, STOPPED), usage)


def _named(request: Request) -> dict[str, Any]:
    """Not strict: a strict schema allows no free-form object, which tuning parameters are."""
    return {"name": request.role, "schema": request.schema, "strict": False}


def _ending_of(response: Any) -> str:
    parts = [part for item in response.output for part in getattr(item, "content", None) or ()]
    if any(part.type == "refusal" for part in parts):
        return REFUSED
    why = response.incomplete_details.reason if response.incomplete_details else None
    return {None: STOPPED, "content_filter": REFUSED}.get(why, CUT_OFF)


def _usage_of(usage: Any) -> Usage:
    if usage is None:
        return Usage()
    cached = usage.input_tokens_details.cached_tokens if usage.input_tokens_details else 0
    return Usage(usage.input_tokens, cached or 0, usage.output_tokens)


def _chat_usage(usage: Any) -> Usage | None:
    if usage is None:
        return None
    details = usage.prompt_tokens_details
    return Usage(usage.prompt_tokens, (details and details.cached_tokens) or 0, usage.completion_tokens)
