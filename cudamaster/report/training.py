"""What a run is as training data: answers with what they earned, pairs of a better and a worse one, events.

An answer of the coder or the debugger earns the reward of the source it gave (`search/reward.py`), the
planner's the mean of the candidates it led to. What was right on the rounds' few workloads and is refused on
all of them at the end earns that refusal. The profiler's answers are judged by nothing and are left out.
A question that was asked anew, because its first answer could not be used, counts once, whole.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

from cudamaster.report.document import Json
from cudamaster.search.purse import CALL
from cudamaster.search.reward import reward
from cudamaster.store.artefacts import Artefacts
from cudamaster.store.codec import decode
from cudamaster.store.runs import RunFolder
from mskernelbench.evaluation import Evaluation
from mskernelbench.ratios import RESOLUTION

LEAST_DIFFERENCE = math.log2(RESOLUTION)
"""Of two rewards in a pair: speedups closer than that count as equal."""
Messages = list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a language model that a verdict says something of."""

    role: str
    model: str
    round: int
    candidates: tuple[int, ...]
    prompt: Messages
    text: str
    reward: float

    @property
    def messages(self) -> Messages:
        """The whole conversation."""
        return [*self.prompt, {"role": "assistant", "content": self.text}]


class Recording:
    """A run's events, by what they are about."""

    def __init__(self, run: RunFolder) -> None:
        self.run = run
        self.events = run.events()
        self.artefacts: Artefacts = run.artefacts()
        first = self.events[0]
        self.about: Json = {"run": run.name} | {
            name: first["settings"][name] for name in ("operator", "precision")
        }
        self.about |= {"device": first["device"], "clock": first["clock"]}
        self._verdicts = self._last_verdicts()

    def named(self, *names: str) -> list[Json]:
        """The events of these names."""
        return [event for event in self.events if event["event"] in names]

    def _last_verdicts(self) -> dict[str, Evaluation]:
        """By source: the round's verdict, or the one on every workload where that refuses it."""
        by_rounds, at_the_end = (
            {event["kernel"]: decode(Evaluation, event["value"]) for event in self.named(name)}
            for name in ("evaluation", "champion")
        )
        return by_rounds | {kernel: last for kernel, last in at_the_end.items() if not last.correct}

    def answers(self) -> Iterator[Answer]:
        """Every answer that earned something, in the run's order."""
        for event in self.named("plan", "proposal", "debug"):
            call = self._call_of(event["key"])
            candidates = self._candidates_of(event)
            earned = self._reward_of(event, candidates)
            if call and earned is not None:
                yield Answer(
                    role=call["role"],
                    model=call["by"],
                    round=self._round_of(event),
                    candidates=candidates,
                    prompt=self._prompt(call["asked"]),
                    text=call["value"]["text"],
                    reward=earned,
                )

    def mended(self) -> Iterator[tuple[Answer, Answer]]:
        """A mended source as the coder's answer in place of what it gave, which was refused."""
        written = {a.candidates[0]: a for a in self.answers() if a.role == "coder"}
        for event in self.named("debug"):
            first = written.get(event["number"])
            better = self._reward_of(event, ())
            if first and better is not None:
                text = f"```cuda\n{self.artefacts.read(event['value'])}```\n"
                yield (
                    Answer("coder", first.model, first.round, first.candidates, first.prompt, text, better),
                    first,
                )

    def _call_of(self, key: str) -> Json | None:
        """The last call made for `key`; None where no model was asked."""
        calls = [e for e in self.named("call") if e["key"].rpartition("/")[0] == f"{CALL}{key}"]
        return max(calls, key=lambda e: int(e["key"].rpartition("/")[2]), default=None)

    def _candidates_of(self, event: Json) -> tuple[int, ...]:
        if event["event"] != "plan":
            return (event["number"],)
        followed = [e for e in self.named("proposal") if e["round"] == event["round"]]
        return tuple(sorted(e["number"] for e in followed if e["plan"] in event["value"]))

    def _reward_of(self, event: Json, candidates: tuple[int, ...]) -> float | None:
        """What came of it; None where nothing did."""
        if event["event"] != "plan":
            verdict = self._verdicts.get(event["value"])
            return reward(verdict) if verdict else None
        rows: list[Any] = [row for e in self.named("rewards") for row in e["value"]]
        numbers = [row["number"] for row in rows if row["number"] in candidates]
        return fmean(self._earned(number) for number in numbers) if numbers else None

    def _earned(self, number: int) -> float:
        """What the candidate's source earned, as written or as mended last."""
        given = [e["value"] for e in self.named("proposal", "debug") if e["number"] == number and e["value"]]
        return reward(self._verdicts[given[-1]])

    def _round_of(self, event: Json) -> int:
        if "round" in event:
            return int(event["round"])
        return next(int(e["round"]) for e in self.named("proposal") if e["number"] == event["number"])

    def _prompt(self, asked: Json) -> Messages:
        turns = [
            {"role": turn["speaker"], "content": self.artefacts.read(turn["text"])} for turn in asked["turns"]
        ]
        return [{"role": "system", "content": self.artefacts.read(asked["system"])}, *turns]


def sft_rows(recording: Recording) -> Iterator[Json]:
    """Chat messages with the reward of their last one: `schemas/sft.json`."""
    for answer in recording.answers():
        about = {"round": answer.round, "model": answer.model, "role": answer.role}
        earned = {"candidates": list(answer.candidates), "reward": answer.reward, "messages": answer.messages}
        yield {"schema": "cudamaster.sft/1"} | recording.about | about | earned


def pair_rows(recording: Recording) -> Iterator[Json]:
    """A better and a worse conversation with the coder, of one round: `schemas/pairs.json`.

    Those of two candidates answer prompts that differ in their plans (for a reward model); a refused source
    and its mend answer the same one, as `same_prompt` says (for preference training).
    """
    coders = [answer for answer in recording.answers() if answer.role == "coder"]
    together = [(a, b) for a, b in combinations(coders, 2) if a.round == b.round]
    for one, other in [*together, *recording.mended()]:
        worse, better = sorted((one, other), key=lambda answer: answer.reward)
        if better.reward - worse.reward >= LEAST_DIFFERENCE:
            yield _pair(recording.about, better, worse)


def _pair(about: Json, better: Answer, worse: Answer) -> Json:
    return {
        "schema": "cudamaster.pair/1",
        **about,
        "round": better.round,
        "same_prompt": better.prompt == worse.prompt,
        "candidates": [better.candidates[0], worse.candidates[0]],
        "chosen": better.messages,
        "rejected": worse.messages,
        "chosen_reward": better.reward,
        "rejected_reward": worse.reward,
    }


def event_rows(recording: Recording) -> Iterator[Json]:
    """The journal's events with the run's name: `schemas/events.json`."""
    return ({"run": recording.run.name} | event for event in recording.events)
