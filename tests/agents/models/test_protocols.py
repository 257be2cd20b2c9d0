"""The three wire protocols, spoken by the real libraries to a server of ours, well and badly."""

import json
from collections.abc import Callable, Iterator

import pytest

from cudamaster.agents.errors import ModelMisused, ModelUnavailable
from cudamaster.agents.models.calling import Access
from cudamaster.agents.models.model import CUT_OFF, REFUSED, STOPPED, Model, Request
from cudamaster.agents.models.openai_model import CHAT, OpenAIModel
from cudamaster.agents.models.price import Usage
from tests.doubles.model_server import Act, ModelServer, model_server
from tests.doubles.served_models import KEY, REQUEST, TURNS, chat, messages, responses

SCHEMA = {"type": "object", "properties": {"bound": {"type": "string"}}}
Opener = Callable[[ModelServer], Model]


each = pytest.mark.parametrize("opened", [responses, chat, messages])


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@each
def test_an_answer_comes_with_its_tokens_and_what_they_cost(server: ModelServer, opened: Opener) -> None:
    server.saying(Act("The answer.", tokens=(1000, 600, 50)))
    reply = opened(server).ask(REQUEST)
    assert (reply.text, reply.ending, reply.model) == ("The answer.", STOPPED, "m-served")
    assert reply.usage == Usage(1000, 600, 50)
    assert reply.cost_usd == pytest.approx((400 * 1.0 + 600 * 0.1 + 50 * 10.0) / 1e6)


@each
def test_the_system_text_and_all_turns_are_sent(server: ModelServer, opened: Opener) -> None:
    opened(server).ask(REQUEST)
    (asked,) = server.asked
    assert (asked.system, asked.last) == ("You plan.", "three")
    turns = asked.body.get("input") or [t for t in asked.body["messages"] if t["role"] != "system"]
    assert [(t["role"], t["content"]) for t in turns] == [(t.speaker, t.text) for t in TURNS]


@each
@pytest.mark.parametrize(("ending", "told"), [("length", CUT_OFF), ("refusal", REFUSED)])
def test_a_cut_or_refused_answer_says_so(server: ModelServer, opened: Opener, ending: str, told: str) -> None:
    server.saying(Act("half an ans", ending=ending))
    assert opened(server).ask(REQUEST).ending == told


@each
def test_a_rate_limit_is_waited_out(server: ModelServer, opened: Opener) -> None:
    server.saying(Act(status=429, retry_after="0.05"), Act("at last"))
    assert opened(server).ask(REQUEST).text == "at last"
    assert len(server.asked) == 2


@each
def test_a_server_that_fails_for_a_moment_is_asked_again(server: ModelServer, opened: Opener) -> None:
    server.saying(Act(status=503, retry_after="0.05"), Act("back"))
    assert opened(server).ask(REQUEST).text == "back"


@each
@pytest.mark.parametrize("status", [429, 500])
def test_what_goes_on_failing_is_unavailable(server: ModelServer, opened: Opener, status: int) -> None:
    server.saying(Act("out of quota", status=status, retry_after="0.01"))
    with pytest.raises(ModelUnavailable, match="out of quota") as told:
        opened(server).ask(REQUEST)
    assert KEY not in str(told.value)
    assert len(server.asked) == 3


@each
def test_an_answer_that_breaks_off_is_asked_for_again(server: ModelServer, opened: Opener) -> None:
    server.saying(Act("half of this", breaks_off=True), Act("whole"))
    assert opened(server).ask(REQUEST).text == "whole"


@each
def test_an_answer_that_always_breaks_off_is_unavailable(server: ModelServer, opened: Opener) -> None:
    server.saying(Act("half of this", breaks_off=True))
    with pytest.raises(ModelUnavailable, match="broke off 3 times"):
        opened(server).ask(REQUEST)


@each
def test_a_refused_key_is_named_by_its_variable_only(server: ModelServer, opened: Opener) -> None:
    server.saying(Act(status=401))
    with pytest.raises(ModelMisused, match="THE_KEY") as told:
        opened(server).ask(REQUEST)
    assert KEY not in str(told.value)
    assert len(server.asked) == 1


@each
@pytest.mark.parametrize("status", [400, 404, 413])
def test_a_request_that_is_refused_as_such_is_not_repeated(
    server: ModelServer, opened: Opener, status: int
) -> None:
    server.saying(Act("too long", status=status))
    with pytest.raises(ModelMisused) as told:
        opened(server).ask(REQUEST)
    assert KEY not in str(told.value)
    assert len(server.asked) == 1


@each
def test_garbage_is_no_answer(server: ModelServer, opened: Opener) -> None:
    server.saying(Act(body=b"data: {this is no JSON\n\n"))
    with pytest.raises(ModelUnavailable):
        opened(server).ask(REQUEST)


@each
def test_silence_within_an_answer_has_an_end(
    server: ModelServer, opened: Callable[[ModelServer, float], Model]
) -> None:
    server.saying(Act("slow and steady", pause=2.0), Act("quick"))
    assert opened(server, 0.3).ask(REQUEST).text == "quick"


def test_no_server_is_unavailable() -> None:
    with model_server() as gone:
        pass
    reached = Access(KEY, "THE_KEY", f"{gone.url}/v1", 5.0, 1, 0.01)
    model = OpenAIModel("m", reached, protocol=CHAT, price=None, holds_schema=False)
    with pytest.raises(ModelUnavailable, match=r"no answer from the server: Connection error$"):
        model.ask(REQUEST)


@each
def test_a_schema_reaches_the_server_and_the_answer_is_json(server: ModelServer, opened: Opener) -> None:
    server.saying(Act('{"bound": "memory"}'))
    reply = opened(server).ask(Request("profiler", "You read.", TURNS, 500, SCHEMA))
    assert json.loads(reply.text) == {"bound": "memory"}
    assert '"bound"' in json.dumps(server.asked[0].body)


def test_openai_s_models_are_held_to_the_schema_strictly(server: ModelServer) -> None:
    for opened in (responses, chat):
        opened(server).ask(Request("profiler", "You read.", TURNS, 500, SCHEMA))
    spoken, chatted = (asked.body for asked in server.asked)
    assert spoken["text"]["format"]["strict"] is True
    assert chatted["response_format"]["json_schema"]["strict"] is True


def test_anthropic_s_models_may_think_before_an_answer_that_a_schema_holds(server: ModelServer) -> None:
    """A forced tool would be refused where a model thinks by default."""
    messages(server).ask(Request("profiler", "You read.", TURNS, 500, SCHEMA))
    body = server.asked[0].body
    assert body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert not {"tools", "tool_choice"} & set(body)


@each
def test_no_server_is_told_a_temperature_which_reasoning_models_refuse(
    server: ModelServer, opened: Opener
) -> None:
    opened(server).ask(REQUEST)
    assert not {"temperature", "top_p"} & set(server.asked[0].body)


def test_the_key_never_shows_in_what_describes_the_access() -> None:
    assert KEY not in repr(Access(KEY, "THE_KEY"))
