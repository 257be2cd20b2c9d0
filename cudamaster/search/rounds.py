"""The steps of the run around its candidates: begin, plan, conclude, crown."""

from concurrent.futures import ThreadPoolExecutor

from cudamaster.agents.errors import Unwritten
from cudamaster.agents.nouns import Situation
from cudamaster.search.candidate import Update, judge_profile, judge_quick, rewarded, whole
from cudamaster.search.context import Context, Judged, RunState, Ticket, View, baseline_ticket, evaluation_key
from cudamaster.search.footing import require_compiler, require_right_baseline
from cudamaster.search.method import REFINE, Start, find_method
from cudamaster.search.purse import BudgetSpent
from cudamaster.search.remembering import recall
from cudamaster.search.reward import advantages
from cudamaster.search.standing import beats_baseline, contenders, reason_to_stop
from cudamaster.store.codec import Json, decode, encode
from mskernelbench.evaluation import Evaluation

CHOOSING = 1000
"""Keeps the random numbers that choose parents apart from those of plans, which islands number from 1."""

QUOTED = 60
"""Characters of an answer that cannot be used, which show what it is."""


class Rounds:
    """The steps, over one run's collaborators."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def begin(self, state: RunState) -> Update:
        """Judge and profile the baseline, and let the profiler say what binds it."""
        kernel = self.context.artefacts.keep(self.context.judge.baseline())
        judge_quick(self.context, kernel, 0, 0)
        require_right_baseline(self.context, self.context.evaluation(baseline_ticket(kernel)))
        judge_profile(self.context, kernel, 0)
        return {"round": 0, "attempts": [], "stopped_by": ""}

    def plan(self, state: RunState) -> Update:
        """Planner: this round's changes, from the diagnosis of the kernels that they start from."""
        number, attempts = state["round"] + 1, state["attempts"]
        starts = self._starts(number, attempts)
        with ThreadPoolExecutor(len(starts)) as pool:
            planned = list(pool.map(lambda start: self._planned(number, attempts, *start), starts))
        pairs = zip(planned, starts, strict=True)
        plans = [(plan, view) for (found, _), (view, _) in pairs for plan in found]
        tickets = [
            Ticket(number=i, round=number, plan=plan, view=view, debugs=0, given_up=False)
            for i, (plan, view) in enumerate(plans, len(attempts) + 1)
        ]
        return {"round": number, "tickets": tickets, "stopped_by": "" if tickets else planned[0][1]}

    def _starts(self, number: int, attempts: list[Judged]) -> list[tuple[View, int]]:
        """What the round's candidates start from, each with how many do. The expert's rounds all refine."""
        settings, situation = self.context.settings, self.context.situation(number, attempts)
        method = find_method(REFINE if number <= settings.expert_rounds else settings.search)
        starts = method(situation, settings.candidates, self.context.rng(number, CHOOSING))
        return [(_view(start, number, apart=len(starts) > 1), start.candidates) for start in starts]

    def _planned(self, number: int, attempts: list[Judged], view: View, count: int) -> tuple[list[Json], str]:
        """Plans for the candidates of one view; where there are none, why the run ends."""
        recall(self.context, self.context.situation(number, attempts, view), view)
        situation = self.context.situation(number, attempts, view)
        try:
            self._diagnose(situation, view)
            plans = self._plans(situation, view, count)
        except BudgetSpent:
            return [], self.context.purse.spent_out
        except Unwritten as fault:
            said = f"{fault}; it begins {fault.reply.strip()[:QUOTED]!r}"
            key = f"unplanned/{view['place']}"
            self.context.ledger.once("unplanned", key, lambda: said, round=number)
            return [], "no_plan"
        return plans, "" if plans else "nothing_left"

    def _plans(self, situation: Situation, view: View, count: int) -> list[Json]:
        rng = self.context.rng(*map(int, view["place"].split("/")))

        def pay() -> object:
            return encode(self.context.team.plan(situation, count, rng))

        key = f"plan/{view['place']}"
        plans: list[Json] = self.context.ledger.once("plan", key, pay, round=situation.round)
        return plans

    def _diagnose(self, situation: Situation, view: View) -> None:
        number, profile = situation.parent.number, situation.parent.profile
        if profile is None:
            return

        def pay() -> object:
            return encode(self.context.team.diagnose(situation, profile))

        key = f"diagnosis/{view['place']}"
        self.context.ledger.once("diagnosis", key, pay, round=situation.round, number=number)

    def conclude(self, state: RunState) -> Update:
        """Reward the round's candidates, and decide whether another round begins."""
        tickets = sorted(
            (t for t in state["finished"] if t["round"] == state["round"]), key=lambda t: t["number"]
        )
        require_compiler(self.context, [self.context.evaluation(ticket) for ticket in tickets])
        judged = [rewarded(self.context, ticket) for ticket in tickets]
        self._note_rewards(state["round"], judged)
        attempts = state["attempts"] + judged
        return {"attempts": attempts, "stopped_by": reason_to_stop(self.context, state["round"], attempts)}

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


def _view(start: Start, number: int, *, apart: bool) -> View:
    place = f"{number}/{start.island}" if apart else f"{number}"
    return View(parent=start.parent, island=start.island, sees=list(start.sees), place=place)
