"""The steps of the run around its candidates: begin, plan, conclude, crown."""

from cudamaster.agents.errors import Unwritten
from cudamaster.agents.nouns import Situation
from cudamaster.search.candidate import Update, judge_profile, judge_quick, whole
from cudamaster.search.context import Context, Judged, RunState, Ticket, evaluation_key
from cudamaster.search.purse import BudgetSpent
from cudamaster.search.reward import advantages, reward
from cudamaster.search.standing import beats_baseline, contenders, reason_to_stop
from cudamaster.store.codec import Json, decode, encode
from mskernelbench.evaluation import Evaluation


class Rounds:
    """The steps, over one run's collaborators."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def begin(self, state: RunState) -> Update:
        """Judge and profile the baseline, and let the profiler say what binds it."""
        kernel = self.context.artefacts.keep(self.context.judge.baseline())
        judge_quick(self.context, kernel, 0, 0)
        judge_profile(self.context, kernel, 0)
        return {"round": 0, "attempts": [], "stopped_by": ""}

    def plan(self, state: RunState) -> Update:
        """Planner: this round's changes, from the diagnosis of the best kernel so far."""
        number, first = state["round"] + 1, len(state["attempts"]) + 1
        situation = self.context.situation(number, state["attempts"])
        try:
            self._diagnose(situation)
            plans = self._plans(situation)
        except BudgetSpent:
            return {"round": number, "tickets": [], "stopped_by": self.context.purse.spent_out}
        except Unwritten:
            return {"round": number, "tickets": [], "stopped_by": "no_plan"}
        tickets = [
            Ticket(number=first + i, round=number, plan=plan, debugs=0, given_up=False)
            for i, plan in enumerate(plans)
        ]
        return {"round": number, "tickets": tickets, "stopped_by": "" if tickets else "nothing_left"}

    def _plans(self, situation: Situation) -> list[Json]:
        number, count = situation.round, self.context.settings.candidates

        def pay() -> object:
            return encode(self.context.team.plan(situation, count, self.context.rng(number)))

        plans: list[Json] = self.context.ledger.once("plan", f"plan/{number}", pay, round=number)
        return plans

    def _diagnose(self, situation: Situation) -> None:
        profile = situation.best.profile
        if profile is None:
            return

        def pay() -> object:
            return encode(self.context.team.diagnose(situation, profile))

        key = f"diagnosis/{situation.round}"
        self.context.ledger.once("diagnosis", key, pay, round=situation.round, number=situation.best.number)

    def conclude(self, state: RunState) -> Update:
        """Reward the round's candidates, note what each taught, and decide whether another round begins."""
        tickets = sorted(
            (t for t in state["finished"] if t["round"] == state["round"]), key=lambda t: t["number"]
        )
        situation = self.context.situation(state["round"], state["attempts"])
        judged = [self._judged(situation, ticket) for ticket in tickets]
        self._note_rewards(state["round"], judged)
        attempts = state["attempts"] + judged
        return {"attempts": attempts, "stopped_by": reason_to_stop(self.context, state["round"], attempts)}

    def _judged(self, situation: Situation, ticket: Ticket) -> Judged:
        earned = reward(self.context.evaluation(ticket))
        judged = Judged(**ticket, reward=earned, lesson="")
        attempt = self.context.attempt(judged)

        def pay() -> object:
            return self.context.team.conclude(situation, attempt)

        number = ticket["number"]
        about = {"number": number, "round": ticket["round"]}
        try:
            lesson = self.context.ledger.once("lesson", f"lesson/{number}", pay, **about)
        except BudgetSpent:
            lesson = ""
        return Judged(**ticket, reward=earned, lesson=str(lesson))

    def _note_rewards(self, number: int, judged: list[Judged]) -> None:
        earned = [candidate["reward"] for candidate in judged]
        rows = [
            {"number": candidate["number"], "reward": candidate["reward"], "advantage": advantage}
            for candidate, advantage in zip(judged, advantages(earned), strict=True)
        ]
        self.context.ledger.once("rewards", f"rewards/{number}", lambda: rows, round=number)

    def crown(self, state: RunState) -> Update:
        """Judge the fastest candidates on every workload until one holds; that is the champion."""
        self.context.ledger.once("stopped", "stopped", lambda: state["stopped_by"])
        for contender in contenders(self.context, state["attempts"]):
            if beats_baseline(self._judge_full(contender["kernel"], contender["number"])):
                return {"champion": contender["number"]}
        return {"champion": None}

    def _judge_full(self, kernel: str, number: int) -> Evaluation:
        def pay() -> object:
            return whole(self.context, self.context.judge.full(self.context.artefacts.read(kernel)))

        value = self.context.ledger.once(
            "champion", evaluation_key(kernel, "full"), pay, number=number, kernel=kernel
        )
        return decode(Evaluation, value)
