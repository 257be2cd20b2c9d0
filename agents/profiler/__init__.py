"""The profiler: classifies what binds a kernel, and compares a plan's prediction with what happened."""

from typing import NamedTuple

from cudamaster.agents.nouns import Diagnosis
from cudamaster.agents.replies import choice_field, json_block, number_fields, text_field
from cudamaster.agents.role import Role
from cudamaster.agents.schemas import TEXT, numbers, one_of, record

BOUNDS = ("memory", "compute", "latency")


class Reading(NamedTuple):
    """What the profiler makes of a profile."""

    diagnosis: Diagnosis
    lesson: str
    """One sentence for later rounds: prediction against outcome, or what the profile teaches."""


def parse(reply: str) -> Reading:
    """The diagnosis and the lesson of a reply. Raises BadReply."""
    data = json_block(reply)
    bound = choice_field(data, "bound", BOUNDS)
    diagnosis = Diagnosis(bound, text_field(data, "sentence"), number_fields(data, "metrics"))
    return Reading(diagnosis, text_field(data, "lesson"))


SCHEMA = record(bound=one_of(BOUNDS), sentence=TEXT, metrics=numbers("number"), lesson=TEXT)

ROLE = Role(
    name="profiler",
    gets="the operator, the device, a profile, and the attempt it belongs to with its prediction",
    returns="the bound with its evidence, and one sentence that later rounds read",
    parse=parse,
    schema=SCHEMA,
)
