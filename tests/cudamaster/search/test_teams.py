"""Teams as settings name them: what cannot be opened is refused before anything is sent."""

import json
from pathlib import Path
from typing import Any

import pytest

from cudamaster.agents.team import ModelTeam
from cudamaster.config import Keys
from cudamaster.errors import NoKey, UnknownName, UsageError
from cudamaster.search.teams import open_team, recorded
from tests.doubles import scripted_run

KEYS = Keys({"OPENAI_API_KEY": "sk-0123456789", "ANTHROPIC_API_KEY": "sk-9876543210"})
CALL = {"schema": "cudamaster.event/1", "time": "2026-01-01T00:00:00+00:00", "event": "call"}


def opened(keys: Keys = KEYS, **changes: Any) -> Any:
    return open_team(scripted_run.settings(Path("r"), **({"model": "openai:m"} | changes)), keys)


def test_each_role_may_have_a_model_of_its_own() -> None:
    team = opened(role_models={"coder": "anthropic:c"})
    assert isinstance(team, ModelTeam)
    assert {role: model.name for role, model in team.models.items()} == {
        "planner": "openai:m",
        "coder": "anthropic:c",
        "debugger": "openai:m",
        "profiler": "openai:m",
    }


def test_a_role_that_the_team_lacks_is_refused() -> None:
    with pytest.raises(UnknownName, match="unknown role 'codr': did you mean coder"):
        opened(role_models={"codr": "openai:m"})


def test_the_expert_cannot_be_a_single_role() -> None:
    with pytest.raises(UsageError, match="cannot be the coder alone"):
        opened(role_models={"coder": "builtin"})


@pytest.mark.parametrize(
    "url", ["localhost:8000/v1", "ftp://x/v1", "http://", "nonsense", "http://[::1/v1", "http://x:99999/v1"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="is no address of a server"):
        opened(base_url=url)


def test_a_protocol_that_nobody_speaks_is_refused() -> None:
    with pytest.raises(UnknownName, match="unknown protocol 'soap'"):
        opened(protocol="soap")


@pytest.mark.parametrize("key", ["sk-one\nsk-two", "sk-\x00", "sk-\u00fcber", "sk-one\x7f"])
def test_a_key_that_no_request_can_carry_names_its_variable_only(key: str) -> None:
    with pytest.raises(NoKey, match="OPENAI_API_KEY holds more than a key") as told:
        opened(Keys({"OPENAI_API_KEY": key}))
    assert key not in str(told.value)


@pytest.mark.parametrize(
    "command",
    [
        ("/no/such/file",),
        ("false",),
        ("true",),
        ("printf", "\\377\\376"),
        ("a\0b",),
        ("printf", "two\\nkeys"),
    ],
)
def test_a_key_command_that_prints_no_key_is_named(command: tuple[str, ...]) -> None:
    with pytest.raises(NoKey, match="the key command for openai, "):
        opened(Keys({}, {"openai": command}))


def test_a_key_command_goes_before_the_environment() -> None:
    team = opened(Keys({"OPENAI_API_KEY": "not \n a key"}, {"openai": ("echo", "sk-printed")}))
    assert isinstance(team, ModelTeam)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (None, "no language model was asked anything"),
        ({}, "damaged"),
        ({"key": "call/plan/1/1", "value": {"text": 3}}, "damaged"),
        ({"key": "call/plan/1/1", "value": None}, "damaged"),
    ],
)
def test_a_recording_without_answers_is_refused_before_the_run(
    tmp_path: Path, event: dict[str, Any] | None, said: str
) -> None:
    journal = tmp_path / "journal.jsonl"
    journal.write_text("" if event is None else json.dumps(CALL | event) + "\n")
    with pytest.raises(UsageError, match=said):
        recorded(tmp_path)
