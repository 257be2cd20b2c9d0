"""Answers that were given before: a script for tests, or a run that is played again without network."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cudamaster.agents.errors import ModelMisused, ModelUnavailable
from cudamaster.agents.models.model import Reply, Request
from cudamaster.agents.models.price import Price

FREE = Price(0.0, 0.0, 0.0)
KEY = re.compile(r"(diagnosis|plan|proposal|debug|lesson)(/[0-9]+)+")
"""A question's: what is asked for, of which round or candidate, and how often it was asked."""
FORMAT = "docs/configuration.md says how a script is written"
OTHER_COURSE = (
    "the recorded run ended before, or this one takes another course, which the recorded one's options "
    "(--search, --rounds, --candidates, --from-baseline, --seed) would not"
)


@dataclass(frozen=True, slots=True)
class RecordedModel:
    """Finds the answer by the question's key."""

    name: str
    replies: Mapping[str, Reply]
    """By key, such as `proposal/3/1`."""
    price: Price | None = FREE
    """It costs nothing to hear it again."""
    lacking: str = OTHER_COURSE
    """Why an answer may be missing."""

    def ask(self, request: Request) -> Reply:
        """The recorded answer, which costs nothing now. Raises ModelUnavailable where there is none."""
        reply = self.replies.get(request.key)
        if reply is None:
            raise ModelUnavailable(f"{self.name} holds no answer to {request.key}: {self.lacking}")
        return replace(reply, cost_usd=0.0)


def read_script(file: Path) -> RecordedModel:
    """A script: a JSON object of texts by key. Raises ModelMisused."""
    try:
        texts = json.loads(file.read_text(encoding="utf-8"))
    except OSError as fault:
        raise ModelMisused(f"the script {file} cannot be read: {fault.strerror}") from fault
    except ValueError as fault:
        raise ModelMisused(f"the script {file} is not JSON: {fault}") from fault
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise ModelMisused(f"the script {file} must be an object of texts by key; {FORMAT}")
    if unknown := [key for key in texts if not KEY.fullmatch(key)]:
        raise ModelMisused(f"the script {file} has a key {unknown[0]!r}, which no question has; {FORMAT}")
    replies = {key: Reply(text, "scripted") for key, text in texts.items()}
    return RecordedModel(f"scripted:{file}", replies, lacking=f"write it; {FORMAT}")
