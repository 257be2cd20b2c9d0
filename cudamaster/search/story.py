"""What a run's journal tells, candidate by candidate, as one document: `cudamaster.story/1`.

It is kept beside a stored record, and made anew from the events of a run that still goes on: what has not
happened yet is absent. Sources are named by their hashes and not in it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from cudamaster.agents.builtin.profiler import profiled_workload
from cudamaster.search.summing_up import seconds_worked
from cudamaster.store.codec import Json, decode
from cudamaster.store.results import STORY_SCHEMA
from mskernelbench.evaluation import Evaluation, interval_document

ASKED = ("rounds", "expert_rounds", "candidates", "max_minutes", "max_usd", "max_tokens", "search", "seed")
"""Settings that say how much was asked for."""
PLANNED = ("strategy", "parameters", "change", "reason")


def story_of(events: Sequence[Json]) -> Json:
    """The story of a run from its events so far, oldest first, of which the first is `started`.

    Raises KeyError, TypeError or ValueError where they are not the events of a run.
    """
    return _Telling(events).story()


class _Telling:
    """A run's events, by what they are about."""

    def __init__(self, events: Sequence[Json]) -> None:
        self._events = events
        self._by_name: dict[str, list[Json]] = {}
        for event in events:
            self._by_name.setdefault(event["event"], []).append(event)
        self._verdicts: dict[str, Any] = {e["kernel"]: e["value"] for e in self._named("evaluation")}
        self._profiles: dict[str, Any] = {e["kernel"]: e["value"] for e in self._named("profile")}
        self._ends = {e["kernel"]: e["value"] for e in self._named("champion")}
        """By kernel, the verdict on every workload."""
        self._crowned = {kernel: value for kernel, value in self._ends.items() if _holds(value)}
        self._judged: dict[str, int] = {}
        """By kernel, the candidate it was first judged as."""

    def _named(self, name: str) -> list[Json]:
        return self._by_name.get(name, [])

    def story(self) -> Json:
        first = self._events[0]
        settings = first["settings"]
        about = {name: settings[name] for name in ("operator", "precision", "model")}
        about |= {name: first[name] for name in ("run", "device", "clock", "clock_version")}
        asked = {name: settings[name] for name in ASKED if settings[name] is not None}
        baseline = first["baseline_sha256"]
        told = {
            "state": "finished" if self._named("finished") or self._crowned else "unfinished",
            "stopped_by": next((e["value"] for e in self._named("stopped")), None),
            "baseline": self._verdict(baseline),
            "rounds": self._rounds(),
            "champion": self._champion(),
            "profiled": self._profiled(baseline),
            "profiles": self._told_profiles(baseline),
        }
        times = {"started": first["time"], "seconds": round(seconds_worked(self._events), 3)}
        known = {name: value for name, value in told.items() if value is not None}
        return {"schema": STORY_SCHEMA} | about | {"asked": asked} | times | known

    def _rounds(self) -> list[Json]:
        numbers = sorted({event["round"] for event in self._named("plan") if event["value"]})
        return [self._round(number) for number in numbers]

    def _round(self, number: int) -> Json:
        diagnoses = [
            {"of": e["number"], "bound": e["value"]["bound"], "sentence": e["value"]["sentence"]}
            for e in self._named("diagnosis")
            if e["round"] == number
        ]
        proposals = sorted(
            (e for e in self._named("proposal") if e["round"] == number), key=lambda e: int(e["number"])
        )
        planned = sum(len(e["value"]) for e in self._named("plan") if e["round"] == number)
        candidates = [self._candidate(event) for event in proposals]
        return {"round": number, "planned": planned, "diagnoses": diagnoses, "candidates": candidates}

    def _candidate(self, proposal: Json) -> Json:
        number, plan = proposal["number"], proposal["plan"]
        kernel = self._last_source(proposal)
        twin = self._judged.setdefault(kernel, number)
        told = {
            "predicted": _prediction(plan),
            "kernel_sha256": kernel,
            "same_as": twin if twin != number else None,
            "mends": [self._mend(event) for event in self._of("debug", number)] or None,
            "lesson": next((e["value"] for e in self._of("lesson", number)), None) or None,
            "verdict": self._verdict(kernel),
            "end": self._end(kernel),
        }
        known = {name: value for name, value in told.items() if value is not None}
        head = {"number": number, "parent": proposal.get("parent", 0)} | {n: plan[n] for n in PLANNED}
        return head | known | self._earned(number)

    def _of(self, name: str, number: int) -> list[Json]:
        return [event for event in self._named(name) if event["number"] == number]

    def _last_source(self, proposal: Json) -> str:
        """The candidate's source as it was judged last: as written, or as mended."""
        mended = [e["value"] for e in self._of("debug", proposal["number"]) if e["value"] is not None]
        return str([proposal["value"], *mended][-1])

    def _mend(self, event: Json) -> Json:
        """What was wrong with a source, and whether the debugger gave another."""
        refused = self._verdicts.get(event["mends"], {})
        return {
            "status": refused.get("status"),
            "reason": refused.get("reason"),
            "mended": event["value"] is not None,
        }

    def _earned(self, number: int) -> Json:
        rows = [row for e in self._named("rewards") for row in e["value"] if row["number"] == number]
        return {name: rows[0][name] for name in ("reward", "advantage")} if rows else {}

    def _verdict(self, kernel: str) -> Json | None:
        """The round's verdict on a source; None while there is none."""
        value = self._verdicts.get(kernel)
        return None if value is None else _verdict_document(value)

    def _end(self, kernel: str) -> Json | None:
        """The verdict on every workload, which takes the place of the round's; few sources have one."""
        value = self._ends.get(kernel)
        return None if value is None else _verdict_document(value)

    def _champion(self) -> Json | None:
        """The candidate that held on every workload, and its source's hash."""
        if not self._crowned:
            return None
        kernel, verdict = next(reversed(self._crowned.items()))
        number = next(e["number"] for e in self._named("champion") if e["kernel"] == kernel)
        speedup = interval_document(decode(Evaluation, verdict).speedup, "geomean")
        return {"number": number, "kernel_sha256": kernel, "speedup": speedup}

    def _profiled(self, baseline: str) -> str | None:
        """The workload that all profiles are of, in words."""
        value = self._verdicts.get(baseline)
        return (value and profiled_workload(decode(Evaluation, value))) or None

    def _told_profiles(self, baseline: str) -> Json:
        """Profiles of the baseline and of the champion, or while there is none of the fastest candidate."""
        champion = next(reversed(self._crowned), None) or self._fastest()
        wanted = {"baseline": baseline, "champion": champion}
        found = {name: self._profiles.get(kernel or "") for name, kernel in wanted.items()}
        return {name: value for name, value in found.items() if value and "kernels" in value}

    def _fastest(self) -> str | None:
        """The source that is fastest by the rounds' verdicts, and that the end did not refuse; None where
        nothing beats the baseline.
        """
        held = {kernel: v for kernel, v in self._verdicts.items() if _holds(v) and kernel not in self._ends}
        lows = {kernel: verdict["speedup"]["low"] for kernel, verdict in held.items()}
        return max(lows, key=lambda kernel: lows[kernel], default=None)


def _prediction(plan: Mapping[str, Any]) -> Json | None:
    metric, direction = plan.get("predicted_metric"), plan.get("predicted_direction")
    return {"metric": metric, "direction": direction} if metric and direction else None


def _verdict_document(value: Json) -> Json:
    """A verdict in a few figures, and of how many timed workloads they are."""
    verdict = decode(Evaluation, value)
    figures = {
        "guard": verdict.guard,
        "speedup": interval_document(verdict.speedup, "geomean"),
        "attainment": verdict.attainment,
        "workloads": sum(row.speedup is not None for row in verdict.workloads) or None,
    }
    known = {name: figure for name, figure in figures.items() if figure is not None}
    return {"status": str(verdict.status), "reason": verdict.reason} | known


def _holds(verdict: Mapping[str, Any]) -> bool:
    """Whether a champion's verdict is right and, beyond the interval, faster than the baseline."""
    speedup = verdict["speedup"]
    return speedup is not None and speedup["low"] > 1.0
