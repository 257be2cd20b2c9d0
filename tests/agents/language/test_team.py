"""A team of language models on made-up situations: what an answer is taken for."""

from dataclasses import dataclass, field, replace

from cudamaster.agents.language.team import LanguageTeam
from cudamaster.agents.models.model import Reply, Request
from cudamaster.agents.nouns import Plan
from cudamaster.agents.role import all_roles
from tests.doubles.situations import attempt, evaluation, situation

PLAN = Plan("tile", "Stage a tile.", "L1 binds")
EDIT = "<<<<<<< SEARCH\nint width = 1;\n=======\nint width = 4;\n>>>>>>> REPLACE\n"


@dataclass
class Says:
    """Always says the same."""

    text: str
    asked: list[Request] = field(default_factory=list)

    name = "says"
    price = None

    def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(self.text, self.name)


def team(model: Says) -> LanguageTeam:
    return LanguageTeam("says", dict.fromkeys(all_roles(), model))


def test_the_coder_s_edits_are_of_the_kernel_that_it_starts_from() -> None:
    best = attempt(1, PLAN, verdict=evaluation(speedup=3.0), source="// best\nint width = 1;\n")
    parent = attempt(2, PLAN, verdict=evaluation(speedup=1.5), source="// parent\nint width = 1;\n")
    now = replace(situation(history=(best, parent)), parent_number=2)
    assert team(Says(EDIT)).write(now, PLAN) == "// parent\nint width = 4;\n"
    assert team(Says(EDIT)).write(replace(now, parent_number=None), PLAN) == "// best\nint width = 4;\n"


def test_the_debugger_s_edits_are_of_the_refused_source() -> None:
    refused = "// refused\nint width = 1;\n"
    assert team(Says(EDIT)).debug(situation(), PLAN, refused, evaluation()) == "// refused\nint width = 4;\n"


def test_an_edit_that_fits_nowhere_is_asked_for_again_with_the_reason() -> None:
    model = Says(EDIT)
    assert team(model).debug(situation(), PLAN, "// another\n", evaluation()) is None
    assert [len(request.turns) for request in model.asked] == [1, 3]
    assert "stands nowhere in the file" in model.asked[1].turns[-1].text


def test_a_bad_answer_of_any_length_is_shown_back_in_part() -> None:
    model = Says("x" * 3_000_000)
    assert team(model).debug(situation(), PLAN, "// refused\n", evaluation()) is None
    assert model.asked[1].characters < 250_000


def test_a_profiler_that_says_nothing_useful_leaves_the_device_s_own_reading() -> None:
    now = situation()
    profile = now.baseline.profile
    assert profile is not None
    assert team(Says("Hm.")).diagnose(now, profile).bound == profile.kernels[0].bound
