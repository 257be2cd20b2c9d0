"""One candidate's way through a round: write, evaluate, debug while refused, profile when correct, learn."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from cudamaster.agents.errors import Unwritten
from cudamaster.agents.nouns import Plan, Situation
from cudamaster.search.context import CandidateState, Context, Judged, Ticket, evaluation_key, profile_key
from cudamaster.search.purse import BudgetSpent
from cudamaster.search.reward import reward
from cudamaster.store.codec import decode, encode
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.profile import Profile
from mskernelbench.evaluation import Evaluation, Status

Update = dict[str, object]
NO_FIGURES: dict[str, Any] = {"speedup": None, "attainment": None, "paper_score": None, "workloads": ()}
NOT_MENDED = (Status.CHEATED, Status.UNSUPPORTED)
"""The debugger is not asked to get a cheat past the referee, nor to mend the device."""


class Candidate:
    """The steps, over one run's collaborators."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def _situation(self, state: CandidateState) -> Situation:
        return self.context.situation(state["round"], state["history"], state["ticket"]["view"])

    def write(self, state: CandidateState) -> Update:
        """Coder: the source that follows the plan."""
        ticket = state["ticket"]
        number, plan = ticket["number"], ticket["plan"]

        def pay() -> str:
            try:
                source = self.context.team.write(self._situation(state), decode(Plan, plan))
            except Unwritten as fault:
                return refuse_unwritten(self.context, ticket, fault)
            return self.context.artefacts.keep(source)

        about = {"number": number, "round": ticket["round"], "plan": plan, "parent": ticket["view"]["parent"]}
        try:
            kernel = self.context.ledger.once("proposal", f"proposal/{number}", pay, **about)
        except BudgetSpent:
            return {"ticket": ticket | {"given_up": True}}
        given_up = self.context.ledger.holds(unwritten_key(number))
        return {"ticket": ticket | {"kernel": kernel, "given_up": given_up}}

    def after_write(self, state: CandidateState) -> str:
        """`evaluate`, or the end where the budget allowed no source."""
        from langgraph.graph import END

        return "evaluate" if "kernel" in state["ticket"] else END

    def evaluate(self, state: CandidateState) -> Update:
        """Referee: the verdict on the source as it is now."""
        ticket = state["ticket"]
        key = judge_quick(self.context, ticket["kernel"], ticket["number"], ticket["round"])
        return {"ticket": ticket | {"evaluation": key}}

    def debug(self, state: CandidateState) -> Update:
        """Debugger: a mended source, or the end of this candidate."""
        ticket = state["ticket"]
        try:
            mended = self._mended(state)
        except BudgetSpent:
            mended = None
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
        over = spent or ticket["given_up"] or evaluation.status in NOT_MENDED
        return "close" if evaluation.correct or over else "debug"

    def after_debug(self, state: CandidateState) -> str:
        """`evaluate` a mended source; `close` one that was given up."""
        return "close" if state["ticket"]["given_up"] else "evaluate"

    def close(self, state: CandidateState) -> Update:
        """Profile a correct candidate."""
        ticket = state["ticket"]
        if self.context.evaluation(ticket).correct:
            key = judge_profile(self.context, ticket["kernel"], ticket["number"])
            ticket = ticket | {"profile": key}
        return {"ticket": ticket}

    def learn(self, state: CandidateState) -> Update:
        """Profiler: what the candidate taught; the ticket goes to the round."""
        ticket = state["ticket"]
        attempt = self.context.attempt(rewarded(self.context, ticket))

        def pay() -> object:
            return self.context.team.conclude(self._situation(state), attempt)

        number = ticket["number"]
        about = {"number": number, "round": ticket["round"]}
        try:
            lesson = str(self.context.ledger.once("lesson", f"lesson/{number}", pay, **about))
        except BudgetSpent:
            lesson = ""
        return {"finished": [ticket | {"lesson": lesson}]}


def rewarded(context: Context, ticket: Ticket) -> Judged:
    """The ticket with what its verdict earns."""
    return Judged(**ticket, reward=reward(context.evaluation(ticket)))


def unwritten_key(number: int) -> str:
    """Key of why a candidate has no source."""
    return f"unwritten/{number}"


def baseline_evaluation_key(context: Context) -> str:
    """Key of the baseline's verdict."""
    return evaluation_key(context.artefacts.keep(context.judge.baseline()))


def refuse_unwritten(context: Context, ticket: Ticket, fault: Unwritten) -> str:
    """Keep what the coder said in place of a source, with the verdict that it is none; its hash."""
    number, said = ticket["number"], context.artefacts.keep(f"{fault.reply}\n")
    baseline = decode(Evaluation, context.ledger.paid(baseline_evaluation_key(context)))
    refusal = replace(baseline, status=Status.BUILD_FAILED, reason=str(fault), **NO_FIGURES)
    about = {"number": number, "round": ticket["round"], "kernel": said}
    context.ledger.once("unwritten", unwritten_key(number), lambda: str(fault), number=number)
    context.ledger.once("evaluation", evaluation_key(said), lambda: encode(refusal), **about)
    return said


def judge_quick(context: Context, kernel: str, number: int, round_number: int) -> str:
    """Judge a source unless it was judged before, and return the evaluation's key."""

    def pay() -> object:
        with turn_to_judge(context):
            return whole(context, context.judge.quick(context.artefacts.read(kernel)))

    key = evaluation_key(kernel)
    context.ledger.once("evaluation", key, pay, number=number, round=round_number, kernel=kernel)
    return key


def judge_profile(context: Context, kernel: str, number: int) -> str:
    """Profile a source unless it was profiled before, and return the profile's key."""

    def pay() -> object:
        with turn_to_judge(context):
            return whole(context, context.judge.profile(context.artefacts.read(kernel)))

    key = profile_key(kernel)
    context.ledger.once("profile", key, pay, number=number, kernel=kernel)
    return key


@contextmanager
def turn_to_judge(context: Context) -> Iterator[None]:
    """Wait until the machine has room for one verdict more. Raises Interrupted once the user stopped."""
    with context.judging:
        context.ledger.refuse_when_stopped()
        yield


def whole(context: Context, verdict: Evaluation | Profile | RunFailure) -> Any:
    """A verdict as plain values. Raises Interrupted where the user's stop may have cut it short."""
    context.ledger.refuse_when_stopped()
    return encode(verdict)
