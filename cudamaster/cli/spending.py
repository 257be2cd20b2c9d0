"""What a run may cost: refused before it begins where a limit could not be kept, said where it can."""

from collections.abc import Mapping

from cudamaster.agents.models.model import Model
from cudamaster.agents.models.price import Usage
from cudamaster.agents.team import ModelTeam
from cudamaster.config import Config
from cudamaster.errors import UsageError
from cudamaster.report.figures import counted
from cudamaster.search.methods.evolve import ISLANDS
from cudamaster.search.settings import Settings
from cudamaster.search.teams import open_team

EVOLVE = "evolve"
USUAL = Usage(8_000, 0, 8_000)
"""Tokens of a usual call: prompts of the four main operators have 2,000 to 12,000."""


def require_team(settings: Settings, config: Config) -> None:
    """Raise what is wrong with the models, their keys and the limits. Nothing is sent."""
    team = open_team(settings, config.keys)
    if settings.max_usd is None or not isinstance(team, ModelTeam):
        return
    for model in team.models.values():
        if model.price is None:
            raise UsageError(
                f"no price is known for {model.name}, so --max-usd cannot be kept: add it to a price file "
                "(CUDAMASTER_PRICES), or limit the run with --max-tokens"
            )


def spending_words(settings: Settings, config: Config) -> str:
    """`; about 24 calls and $0.60 (by prices noted on …), at most $5.00`; empty where nothing is spent."""
    team = open_team(settings, config.keys)
    if not isinstance(team, ModelTeam):
        return ""
    calls = calls_of(settings)
    usd = f"${settings.max_usd:.2f}" if settings.max_usd else ""
    tokens = f"{settings.max_tokens:,} tokens" if settings.max_tokens else ""
    limits = " and ".join(limit for limit in (usd, tokens) if limit)
    most = f", at most {limits}" if limits else ""
    return f"; about {counted(sum(calls.values()), 'call')}{_dollars(team.models, calls)}{most}"


def calls_of(settings: Settings) -> dict[str, int]:
    """Calls by role, where every third candidate needs mending once."""
    rounds, each = settings.rounds - settings.expert_rounds, settings.candidates
    planned_apart = min(ISLANDS, each) if settings.search == EVOLVE else 1
    return {
        "planner": rounds * planned_apart,
        "coder": rounds * each,
        "debugger": -(-rounds * each // 3),
        "profiler": rounds * (planned_apart + each),
    }


def _dollars(models: Mapping[str, Model], calls: Mapping[str, int]) -> str:
    usd, dates = 0.0, set[str]()
    for role, count in calls.items():
        price = models[role].price
        if price is None:
            return " at an unknown price"
        usd += count * price.cost_usd(USUAL)
        dates |= {price.as_of} if price.as_of else set()
    noted = f" (by prices noted on {min(dates)}: check them)" if dates else ""
    return f" and ${usd:.2f}{noted}" if usd else ""
