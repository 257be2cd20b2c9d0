"""One line for each event of a run that a person following it wants to see."""

from collections.abc import Callable, Iterable
from typing import Any

from cudamaster.report.document import Json
from cudamaster.report.figures import counted, percent, with_parameters
from cudamaster.report.stopping import STOPPED_BY
from cudamaster.search.settings import Settings
from mskernelbench.ratios import ratio_text

Line = str | None
PLAYED_BY_MODEL = "from here on the language model plays"
NAME_WIDTH = 28
"""Columns for a candidate's strategy and parameters: a line of a correct one is 80 then."""


ORDER = "           candidates are judged side by side, and told in the order in which they are done"


class EventLines:
    """Turns events into lines; remembers plans and the best so far, which events name only once."""

    def __init__(self, clock: str, workloads: int = 0) -> None:
        self.clock = clock
        self.workloads = workloads
        """Workloads timed at the end; the rounds time a few of them."""
        self.best: float | None = None
        """Lower bound of the best speedup so far."""
        self.judged = 0
        """Candidates with a verdict, mends included."""
        self.round = 0
        self.calls = 0
        """Of language models."""
        self.tokens = 0
        """Read and written by them."""
        self.usd = 0.0
        """Paid for them, as far as their prices are known."""
        self.crowning = False
        """Whether the rounds are over and the fastest are judged on all workloads."""
        self._strategies: dict[int, str] = {}
        self._first_parameters: dict[str, dict[str, int]] = {}
        self._judged_kernels: dict[str, int] = {}
        self._in_rounds: dict[int, str] = {}
        """Each candidate's speedup by its round's verdict."""
        self._diagnosed: int | None = None
        self._headed = 0
        """The last round whose heading was told."""
        self._operator = "this operator"
        self._told_of_lessons = False
        self._order_matters = False
        """Whether candidates are judged at once, which nobody was told yet."""
        self._expert_rounds = 0
        """Rounds that the built-in expert plays before a language model does."""
        self._refines = True
        """Whether candidates start from the best, so that the diagnosed kernel is that."""

    def line(self, event: Json) -> Line:
        """The event's line; None for events that only the journal wants."""
        say: Callable[[Json], Line] | None = getattr(self, f"_{event['event']}", None)
        return say(event) if say else None

    def recall(self, events: Iterable[Json]) -> None:
        """Know what an earlier session was told, without telling it again."""
        for event in events:
            self.line(event)

    def _started(self, event: Json) -> Line:
        self._operator = event["settings"]["operator"]
        self._order_matters = event["settings"].get("parallel", 1) > 1
        self._expert_rounds = event["settings"].get("expert_rounds", 0)
        self._refines = event["settings"].get("search", "refine") == "refine"
        return None

    def _diagnosis(self, event: Json) -> Line:
        value: Any = event["value"]
        of = "the baseline" if event["number"] == 0 else f"#{event['number']}"
        again = event["number"] == self._diagnosed
        self._diagnosed, self._headed = event["number"], event["round"]
        if again:
            best = "is still the best" if self._refines else "is started from again"
            return f"round {event['round']}    {of} {best}, {value['bound']}-bound"
        return f"round {event['round']}    {of} is {value['bound']}-bound: {value['sentence']}"

    def _recalled(self, event: Json) -> Line:
        if self._told_of_lessons or not event["value"]:
            return None
        self._told_of_lessons = True
        return (
            f"           {counted(len(event['value']), 'lesson')} of earlier runs shown to the language model"
        )

    def _plan(self, event: Json) -> Line:
        self.round = event["round"]
        if not event["value"]:
            return self._nothing_planned()
        headed, self._headed = self._headed, self.round
        lines = [f"round {self.round}"] if headed < self.round else []
        if self._expert_rounds:
            by = (
                "the built-in expert plays this one" if self.round <= self._expert_rounds else PLAYED_BY_MODEL
            )
            lines += [f"           {by}"] if self.round <= self._expert_rounds + 1 else []
        if len(event["value"]) > 1 and self._order_matters:
            self._order_matters = False
            lines.append(ORDER)
        return "\n".join(lines) or None

    def _unplanned(self, event: Json) -> Line:
        headed, self._headed = self._headed, event["round"]
        head = f"round {event['round']}" if headed < event["round"] else ""
        return f"{head:<11}{event['value']}"

    def _nothing_planned(self) -> str:
        if self._strategies:
            return "the planner has nothing left that is likely to gain"
        return f"the expert knows no strategy for {self._operator}"

    def _proposal(self, event: Json) -> Line:
        plan = event["plan"]
        self._strategies[event["number"]] = self._named(plan["strategy"], plan.get("parameters", {}))
        twin = self._judged_kernels.setdefault(event["value"], event["number"])
        if twin == event["number"]:
            return None
        self.judged += 1
        of = f"#{twin}" if twin else "the baseline"
        return f"  #{event['number']:<3} {self._strategy(event)} the same source as {of}"

    def _named(self, strategy: str, parameters: dict[str, int]) -> str:
        """The strategy with its parameters; where they are many, with those unlike its first candidate's."""
        whole = with_parameters(strategy, parameters)
        if strategy not in self._first_parameters:
            self._first_parameters[strategy] = parameters
            return whole if len(whole) <= NAME_WIDTH else strategy
        if len(whole) <= NAME_WIDTH:
            return whole
        first = self._first_parameters[strategy]
        return with_parameters(strategy, {n: v for n, v in parameters.items() if first.get(n) != v})

    def _debug(self, event: Json) -> Line:
        outcome = "mended, judged again" if event["value"] else "given up"
        return f"  #{event['number']:<3} {self._strategy(event)} {outcome}"

    def _evaluation(self, event: Json) -> Line:
        verdict: Any = event["value"]
        if event["number"] == 0:
            self._judged_kernels[event.get("kernel", "")] = 0
            attained = percent(verdict["attainment"])
            return f"baseline   {verdict['status']}, attains {attained} of the roofline{self._few(verdict)}"
        self.judged += 1
        found = self._in_its_round(event["number"], verdict)
        return f"  #{event['number']:<3} {self._strategy(event)} {found}"

    def _in_its_round(self, number: int, verdict: Any) -> str:
        """A round's verdict, and of how many workloads it is where the end has more."""
        if verdict["speedup"] is None:
            self._in_rounds.pop(number, None)  # of a source that was mended since
            return f"{verdict['status']}: {verdict['reason']}"
        speedup = verdict["speedup"]
        if speedup["low"] > max(1.0, self.best or 0.0):
            self.best = speedup["low"]
        self._in_rounds[number] = ratio_text(speedup["centre"])
        timed = workloads_of(verdict)
        if 0 < timed < self.workloads:
            return f"correct, {self._in_rounds[number]} {self.clock} on {timed} of {self.workloads} workloads"
        return self._whole(verdict)

    def _whole(self, verdict: Any) -> str:
        speedup, attained = ratio_text(verdict["speedup"]["centre"]), percent(verdict["attainment"])
        return f"correct, {speedup} {self.clock}, {attained} of the roofline"

    def _few(self, verdict: Any) -> str:
        """That the rounds time only some of the workloads, where it is so."""
        timed = workloads_of(verdict)
        if not 0 < timed < self.workloads:
            return ""
        return f"; rounds time {timed} of {self.workloads} workloads, the end all"

    def _call(self, event: Json) -> Line:
        reply: Any = event["value"]
        self.calls += 1
        self.tokens += reply["usage"]["input_tokens"] + reply["usage"]["output_tokens"]
        self.usd += reply["cost_usd"] or 0.0
        return None

    @property
    def spent(self) -> str:
        """`14 calls, 83,000 tokens, $0.42`; empty where no model was asked."""
        dollars = f", ${self.usd:.2f}" if self.usd else ""
        return f"{counted(self.calls, 'call')}, {self.tokens:,} tokens{dollars}" if self.calls else ""

    def _rewards(self, event: Json) -> Line:
        return f"           so far {self.spent}" if self.spent else None

    def _stopped(self, event: Json) -> Line:
        self.crowning = True
        return f"rounds end: {STOPPED_BY[event['value']]}"

    def _champion(self, event: Json) -> Line:
        verdict: Any = event["value"]
        strategy = self._strategy(event).strip()
        return f"the end    #{event['number']} {strategy}: {self._at_the_end(event['number'], verdict)}"

    def _at_the_end(self, number: int, verdict: Any) -> str:
        """The verdict on all workloads, which takes the place of the round's."""
        before = self._in_rounds.get(number)
        if verdict["speedup"] is None:
            void = f" (the {before} of its round is void)" if before else ""
            return f"{verdict['status']}: {verdict['reason']}{void}"
        of_all = f" on all {self.workloads} workloads" if self.workloads > 1 else ""
        speedup, attained = ratio_text(verdict["speedup"]["centre"]), percent(verdict["attainment"])
        instead = f" (takes the place of its round's {before})" if before not in (None, speedup) else ""
        return f"correct, {speedup} {self.clock}{of_all}, {attained} of the roofline{instead}"

    def _strategy(self, event: Json) -> str:
        return f"{self._strategies.get(event['number'], ''):<{NAME_WIDTH}}"


def workloads_of(verdict: Any) -> int:
    """How many workloads a verdict has speedups of."""
    return sum(row.get("speedup") is not None for row in verdict.get("workloads", ()))


def status(lines: EventLines, settings: Settings) -> str:
    """Where the run is: round, candidates, best so far, budget."""
    if lines.round == 0:
        return "judging the baseline"
    best = f"best {ratio_text(lines.best)} {lines.clock}" if lines.best else "nothing faster yet"
    minutes = f", at most {settings.max_minutes:g} min" if settings.max_minutes else ""
    spent = f", {lines.spent}" if lines.spent else ""
    if lines.crowning:
        return f"judging the fastest on all workloads, in the rounds {best}"
    return (
        f"round {lines.round} of {settings.rounds}, {lines.judged} candidates judged, {best}{spent}{minutes}"
    )
