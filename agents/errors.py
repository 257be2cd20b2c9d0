"""The agents' exceptions.

AgentsError
├── BadReply          a model's reply that its role's parser does not understand
└── UnknownStrategy   a plan names a strategy that the playbook lacks
"""


class AgentsError(Exception):
    """The root of the tree."""


class BadReply(AgentsError):
    """A reply without what the role was asked for; the message tells the model what is missing."""


class UnknownStrategy(AgentsError):
    """No strategy of the playbook has this name for the operator."""
