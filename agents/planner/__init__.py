"""The planner: reads the profile and the history, names changes and what each should do to which metric."""

from typing import Any

from cudamaster.agents.errors import BadReply
from cudamaster.agents.nouns import Plan
from cudamaster.agents.replies import choice_field, json_block, number_fields, text_field
from cudamaster.agents.role import Role
from cudamaster.agents.schemas import TEXT, list_of, maybe, numbers, one_of, record
from cudamaster.toolchain.metrics import METRICS

DIRECTIONS = ("lower", "higher")


def parse(reply: str) -> list[Plan]:
    """The plans of a reply, at least one. Raises BadReply."""
    plans = json_block(reply).get("plans")
    if not isinstance(plans, list) or not plans:
        raise BadReply("'plans' is missing or empty; a list of plans was asked for")
    return [_plan(item) for item in plans]


def _plan(data: Any) -> Plan:
    if not isinstance(data, dict):
        raise BadReply("a plan is not an object")
    metric = data.get("predicted_metric")
    if metric is not None and not (isinstance(metric, str) and metric in METRICS):
        raise BadReply(f"'{metric}' is no metric; choose a name from the profile, or null")
    parameters = number_fields(data, "parameters")
    if any(value != int(value) for value in parameters.values()):
        raise BadReply("'parameters' are whole numbers")
    return Plan(
        strategy=text_field(data, "strategy"),
        change=text_field(data, "change"),
        reason=text_field(data, "reason"),
        predicted_metric=metric,
        predicted_direction=choice_field(data, "predicted_direction", DIRECTIONS) if metric else None,
        parameters={name: int(value) for name, value in parameters.items()},
    )


SCHEMA = record(
    plans=list_of(
        record(
            strategy=TEXT,
            change=TEXT,
            reason=TEXT,
            predicted_metric=maybe(one_of(METRICS)),
            predicted_direction=maybe(one_of(DIRECTIONS)),
            parameters=numbers("integer"),
        )
    )
)

ROLE = Role(
    name="planner",
    gets="the operator, the device, the best kernel, its filtered profile, the history and known strategies",
    returns="a list of plans, each one change with the metric it should move",
    parse=parse,
    schema=SCHEMA,
)
