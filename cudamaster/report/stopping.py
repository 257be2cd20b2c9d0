"""Why a run ends, in words."""

from cudamaster.search.outcome import INTERRUPTED

STOPPED_BY = {
    "rounds": "all rounds are done",
    "flat": "the last round gained nothing that the clock can tell",
    "minutes": "the time is used up",
    "usd": "the next call could cost more than the money that is left",
    "tokens": "the next call could take more tokens than are left",
    "no_plan": "the planner gave no plan that can be used",
    "attainment": "the best attains 95 % of the roofline",
    "nothing_left": "no strategy that is left is likely to gain",
    INTERRUPTED: "interrupted",
}
"""Each reason to stop, as a clause."""
