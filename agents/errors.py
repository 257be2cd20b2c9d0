"""The agents' exceptions.

AgentsError
├── BadPrices         a price file that cannot be read
├── BadReply          a model's reply that its role's parser does not understand
├── BadStrategy       a strategy.toml of the playbook that lacks a key or says something wrong
├── ModelError        a language model that does not answer
│   ├── ModelMisused      the server refuses the request as such: key, name, size
│   └── ModelUnavailable  no answer after several tries: network, rate limit, server
├── Unwritten         a role gave no usable answer, after it was told what was wrong
└── UnknownStrategy   a plan names a strategy that the playbook lacks
"""


class AgentsError(Exception):
    """The root of the tree."""


class BadPrices(AgentsError):
    """A price file that cannot be read; the message names it."""


class BadReply(AgentsError):
    """A reply without what the role was asked for; the message tells the model what is missing."""


class BadStrategy(AgentsError):
    """A strategy's file that cannot be read; the message names the file, and the key that is missing."""


class UnknownStrategy(AgentsError):
    """No strategy of the playbook has this name for the operator."""


class ModelError(AgentsError):
    """A language model that does not answer; the message says what to do about it."""


class ModelMisused(ModelError):
    """The server refuses the request as such, and would refuse it again."""


class ModelUnavailable(ModelError):
    """No answer after several tries; the same request may succeed later."""


class Unwritten(AgentsError):
    """A role gave no usable answer."""

    def __init__(self, reason: str, reply: str) -> None:
        super().__init__(reason)
        self.reply = reply
        """What it said last."""
