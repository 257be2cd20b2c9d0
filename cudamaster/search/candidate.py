"""One candidate's way through a round: write, evaluate, debug while it is refused, profile when correct."""

from typing import Any

from cudamaster.agents.nouns import Plan, Situation
from cudamaster.search.context import CandidateState, Context, evaluation_key, profile_key
from cudamaster.store.codec import decode, encode
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.profile import Profile
from mskernelbench.evaluation import Evaluation, Status

Update = dict[str, object]
NOT_MENDED = (Status.CHEATED, Status.UNSUPPORTED)
"""The debugger is not asked to get a cheat past the referee, nor to mend the device."""


class Candidate:
    """The steps, over one run's collaborators."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def _situation(self, state: CandidateState) -> Situation:
        return self.context.situation(state["round"], state["history"])

    def write(self, state: CandidateState) -> Update:
        """Coder: the source that follows the plan."""
        ticket = state["ticket"]
        number, plan = ticket["number"], ticket["plan"]

        def pay() -> str:
            source = self.context.team.write(self._situation(state), decode(Plan, plan))
            return self.context.artefacts.keep(source)

        about = {"number": number, "round": ticket["round"], "plan": plan}
        kernel = self.context.ledger.once("proposal", f"proposal/{number}", pay, **about)
        return {"ticket": ticket | {"kernel": kernel}}

    def evaluate(self, state: CandidateState) -> Update:
        """Referee: the verdict on the source as it is now."""
        ticket = state["ticket"]
        key = judge_quick(self.context, ticket["kernel"], ticket["number"], ticket["round"])
        return {"ticket": ticket | {"evaluation": key}}

    def debug(self, state: CandidateState) -> Update:
        """Debugger: a mended source, or the end of this candidate."""
        ticket = state["ticket"]
        mended = self._mended(state)
        if mended is None:
            return {"ticket": ticket | {"given_up": True}}
        return {"ticket": ticket | {"kernel": mended, "debugs": ticket["debugs"] + 1}}

    def _mended(self, state: CandidateState) -> str | None:
        ticket, plan = state["ticket"], decode(Plan, state["ticket"]["plan"])
        source, evaluation = self.context.artefacts.read(ticket["kernel"]), self.context.evaluation(ticket)

        def pay() -> str | None:
            mended = self.context.team.debug(self._situation(state), plan, source, evaluation)
            return None if mended is None else self.context.artefacts.keep(mended)

        key = f"debug/{ticket['number']}/{ticket['debugs'] + 1}"
        value = self.context.ledger.once("debug", key, pay, number=ticket["number"], mends=ticket["kernel"])
        return None if value is None or value == ticket["kernel"] else str(value)

    def after_evaluation(self, state: CandidateState) -> str:
        """`debug` while a mend may help, else `close`."""
        ticket, evaluation = state["ticket"], self.context.evaluation(state["ticket"])
        spent = ticket["debugs"] >= self.context.settings.max_debugs
        return "close" if evaluation.correct or evaluation.status in NOT_MENDED or spent else "debug"

    def after_debug(self, state: CandidateState) -> str:
        """`evaluate` a mended source; `close` one that was given up."""
        return "close" if state["ticket"]["given_up"] else "evaluate"

    def close(self, state: CandidateState) -> Update:
        """Profile a correct candidate, and hand the ticket to the round."""
        ticket = state["ticket"]
        if self.context.evaluation(ticket).correct:
            key = judge_profile(self.context, ticket["kernel"], ticket["number"])
            ticket = ticket | {"profile": key}
        return {"finished": [ticket]}


def judge_quick(context: Context, kernel: str, number: int, round_number: int) -> str:
    """Judge a source unless it was judged before, and return the evaluation's key."""

    def pay() -> object:
        return whole(context, context.judge.quick(context.artefacts.read(kernel)))

    key = evaluation_key(kernel)
    context.ledger.once("evaluation", key, pay, number=number, round=round_number, kernel=kernel)
    return key


def judge_profile(context: Context, kernel: str, number: int) -> str:
    """Profile a source unless it was profiled before, and return the profile's key."""

    def pay() -> object:
        return whole(context, context.judge.profile(context.artefacts.read(kernel)))

    key = profile_key(kernel)
    context.ledger.once("profile", key, pay, number=number, kernel=kernel)
    return key


def whole(context: Context, verdict: Evaluation | Profile | RunFailure) -> Any:
    """A verdict as plain values. Raises Interrupted where the user's stop may have cut it short."""
    context.ledger.refuse_when_stopped()
    return encode(verdict)
