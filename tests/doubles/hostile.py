"""Text of a candidate that tries to do something in a page: none of it may."""

from cudamaster.agents.nouns import Plan
from cudamaster.search.scripted import ScriptedTeam

HOSTILE = (
    "</code></pre></script><script>window.hacked = 1</script>"
    "<img src=\"https://evil.example/a.png\" onerror='window.hacked = 1'>"
    "<style>body { display: none }</style><!-- {{ 7 * 7 }} {% raw %} ${7 * 7} &lt; "
    '\u2028\u202e\u0000\x1b[2J\' onclick="window.hacked = 1"'
)
"""HTML, script, a template's and a terminal's marks, line separators, a change of direction, quotes."""


class HostileTeam(ScriptedTeam):
    """Says it wherever an agent may say something."""

    def plan(self, situation: object, count: int, rng: object) -> list[Plan]:
        """The script's plans with hostile texts."""
        plans = super().plan(situation, count, rng)  # type: ignore[arg-type]
        return [Plan(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, plan.parameters) for plan in plans]

    def conclude(self, situation: object, attempt: object) -> str:
        """No lesson at all."""
        return HOSTILE
