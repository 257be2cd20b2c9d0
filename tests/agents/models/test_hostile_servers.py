"""Servers that send what no protocol has: each ends as one of our errors, soon, and never with the key."""

import time
from collections.abc import Callable, Iterator

import pytest

from cudamaster.agents.errors import ModelUnavailable
from cudamaster.agents.models.model import Model
from cudamaster.agents.models.openai_model import CHAT, OpenAIModel
from tests.doubles.model_server import Act, ModelServer, model_server
from tests.doubles.served_models import KEY, PRICE, REQUEST, access, chat, messages, responses

Opener = Callable[..., Model]
ERROR = (
    b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "no, %s"}}\n\n'
)

each = pytest.mark.parametrize("opened", [responses, chat, messages])


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@each
@pytest.mark.parametrize("data", [b"null", b"[1]", b"3", b'"hey"', b"{}", b'{"choices": 3}', b"\x80\xff"])
def test_events_that_follow_no_protocol_are_no_answer(
    server: ModelServer, opened: Opener, data: bytes
) -> None:
    server.saying(Act(body=b"event: message_start\ndata: " + data + b"\n\n"))
    with pytest.raises(ModelUnavailable):
        opened(server).ask(REQUEST)


@each
@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/json"])
def test_a_page_in_place_of_events_is_not_asked_for_again(
    server: ModelServer, opened: Opener, kind: str
) -> None:
    server.saying(Act(body=b"{}", kind=kind))
    with pytest.raises(ModelUnavailable, match="in place of a stream of events: is its address right"):
        opened(server).ask(REQUEST)
    assert len(server.asked) == 1


@each
@pytest.mark.parametrize("wait", ["86400", "Fri, 01 Jan 2100 00:00:00 GMT"])
def test_a_server_that_wants_a_day_is_not_waited_for(server: ModelServer, opened: Opener, wait: str) -> None:
    server.saying(Act("quota", status=429, retry_after=wait))
    with pytest.raises(ModelUnavailable, match=r"to be asked again in \d+ h: .*quota"):
        opened(server).ask(REQUEST)
    assert len(server.asked) == 1


@each
def test_an_answer_that_drips_for_ever_has_an_end(server: ModelServer, opened: Opener) -> None:
    server.saying(Act(body=b":" * 10_000, drip=0.02))
    begun = time.monotonic()
    with pytest.raises(ModelUnavailable, match="has not ended its answer after"):
        opened(server, 5.0, 0.3).ask(REQUEST)
    assert time.monotonic() - begun < 10
    assert len(server.asked) == 1


@each
def test_an_answer_without_end_is_cut(server: ModelServer, opened: Opener) -> None:
    server.saying(Act(body=(b":" + b"x" * 9_997 + b"\n\n") * 4_000))
    with pytest.raises(ModelUnavailable, match="more than 32 MiB"):
        opened(server).ask(REQUEST)
    assert len(server.asked) == 1


@each
def test_an_error_told_within_an_answer_is_asked_again_and_its_words_are_kept(
    server: ModelServer, opened: Opener
) -> None:
    server.saying(Act(body=ERROR % KEY.encode()))
    with pytest.raises(ModelUnavailable, match=r"broke off 3 times: .*no, \*\*\*") as told:
        opened(server).ask(REQUEST)
    assert KEY not in str(told.value)
    assert len(server.asked) == 3


def test_an_event_of_responses_that_is_an_error_is_told_in_its_words(server: ModelServer) -> None:
    event = b'{"type": "error", "code": "server_error", "message": "too busy", "sequence_number": 1}'
    server.saying(Act(body=b"event: error\ndata: " + event + b"\n\n"))
    with pytest.raises(ModelUnavailable, match="broke off 3 times: too busy"):
        responses(server).ask(REQUEST)


@pytest.mark.parametrize("opened", [responses, chat])
@pytest.mark.parametrize("tokens", [None, (0, 0, 0), (-5, -9, -5)])
def test_tokens_that_a_server_does_not_count_are_estimated(
    server: ModelServer, opened: Opener, tokens: tuple[int, int, int] | None
) -> None:
    server.saying(Act("twelve chars", tokens=tokens))
    usage = opened(server).ask(REQUEST).usage
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (7, 0, 4)


@each
def test_more_tokens_cached_than_read_do_not_lower_the_cost_below_nothing(
    server: ModelServer, opened: Opener
) -> None:
    server.saying(Act("cheap", tokens=(10, 1_000_000, 1)))
    cost = opened(server).ask(REQUEST).cost_usd
    assert cost is not None
    assert cost > 0


@each
def test_the_key_in_an_answer_is_blotted_out(server: ModelServer, opened: Opener) -> None:
    server.saying(Act(f"your key {KEY} is known to me"))
    assert opened(server).ask(REQUEST).text == "your key *** is known to me"


def test_a_key_of_a_server_of_one_s_own_may_be_a_common_word(server: ModelServer) -> None:
    server.saying(Act("none of this"))
    model = OpenAIModel(
        "m", access(server, "/v1", key="none"), protocol=CHAT, price=PRICE, holds_schema=False
    )
    assert model.ask(REQUEST).text == "none of this"


@each
def test_what_cannot_be_seen_or_stored_is_left_out_of_an_answer(server: ModelServer, opened: Opener) -> None:
    server.saying(Act("\ufeffone\r\ntwo\x00\x1b[2J\tthree\ud800"))
    assert opened(server).ask(REQUEST).text == "one\ntwo[2J\tthree?"
