"""The agents' exceptions.

AgentsError
├── BadReply          a model's reply that its role's parser does not understand
├── BadStrategy       a strategy.toml of the playbook that lacks a key or says something wrong
└── UnknownStrategy   a plan names a strategy that the playbook lacks
"""


class AgentsError(Exception):
    """The root of the tree."""


class BadReply(AgentsError):
    """A reply without what the role was asked for; the message tells the model what is missing."""


class BadStrategy(AgentsError):
    """A strategy's file that cannot be read; the message names the file, and the key that is missing."""


class UnknownStrategy(AgentsError):
    """No strategy of the playbook has this name for the operator."""
