"""Models of each wire protocol, reached at a local server by the real libraries; little patience."""

from cudamaster.agents.models.anthropic_model import AnthropicModel
from cudamaster.agents.models.calling import Access
from cudamaster.agents.models.model import Model, Request, Turn
from cudamaster.agents.models.openai_model import CHAT, RESPONSES, OpenAIModel
from cudamaster.agents.models.price import Price
from tests.doubles.model_server import ModelServer

KEY = "sk-secret-0123456789"
PRICE = Price(1.0, 0.1, 10.0)
TURNS = (Turn("user", "one"), Turn("assistant", "two"), Turn("user", "three"))
REQUEST = Request("planner", "You plan.", TURNS, 500)


def access(
    server: ModelServer,
    path: str,
    silence_seconds: float = 20.0,
    answer_seconds: float = 60.0,
    key: str = KEY,
) -> Access:
    """Two retries, at once."""
    return Access(key, "THE_KEY", f"{server.url}{path}", silence_seconds, 2, 0.01, answer_seconds)


def responses(server: ModelServer, silence_seconds: float = 20.0, answer_seconds: float = 60.0) -> Model:
    """A model behind Responses."""
    reached = access(server, "/v1", silence_seconds, answer_seconds)
    return OpenAIModel("m", reached, protocol=RESPONSES, price=PRICE, holds_schema=True)


def chat(server: ModelServer, silence_seconds: float = 20.0, answer_seconds: float = 60.0) -> Model:
    """A model behind Chat Completions."""
    reached = access(server, "/v1", silence_seconds, answer_seconds)
    return OpenAIModel("m", reached, protocol=CHAT, price=PRICE, holds_schema=True)


def messages(server: ModelServer, silence_seconds: float = 20.0, answer_seconds: float = 60.0) -> Model:
    """A model behind Messages."""
    return AnthropicModel("m", access(server, "", silence_seconds, answer_seconds), price=PRICE)
