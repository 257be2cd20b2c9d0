"""What a run was asked to do; written as its journal's first event, and all that `resume` needs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """One run's request."""

    operator: str
    precision: str
    device: str
    """The name that opens it again."""
    model: str
    rounds: int
    candidates: int
    """Proposals a round, judged in parallel."""
    patience: int = 0
    """Rounds in a row that may gain nothing the clock can tell before the run ends; 0: all are played."""
    max_debugs: int = 2
    """How often the debugger may mend one candidate."""
    max_minutes: float | None = None
    """Checked between rounds."""
    max_usd: float | None = None
    """Checked before each call of a language model, over all sessions."""
    max_tokens: int | None = None
    """Read and written; checked like `max_usd`."""
    role_models: Mapping[str, str] = field(default_factory=dict)
    """Models of single roles, where they are not `model`."""
    base_url: str = ""
    """Server of the `openai` models; empty for OpenAI's own."""
    protocol: str = ""
    """`responses` or `chat`; empty for the server's usual one."""
    expert_rounds: int = 0
    """Of `rounds`, the first that the built-in expert plays before a language model does."""
    search: str = "refine"
    """Which kernel each candidate starts from: a name of `search/methods/`."""
    lessons: bool = True
    """Whether earlier runs' lessons are shown, and this one's kept."""
    seed: int = 0
    shapes: tuple[str, ...] = ()
    """The user's own sizes, as `M=64,N=2048`; empty for the operator's sets."""
    matrices: tuple[str, ...] = ()
    """Matrix Market files, by absolute path; the user's own too."""
    operators_dir: str = ""
    """The user's own folder of operators, by absolute path; empty where none was given."""
    parallel: int = 2
    """Candidates built and judged at once; models are asked for all of a round's at once."""
    results: str = "results"
    """Where the champion is stored."""
    results_asked: bool = False
    """Whether the user named that folder: a champion of own workloads is put there then."""
    store: bool = True
    """Whether a champion of the operator's workloads is; else the run's folder alone keeps it."""

    @property
    def on_own_workloads(self) -> bool:
        """Whether the user's workloads are timed in place of the operator's sets."""
        return bool(self.shapes or self.matrices)

    @property
    def own_operators(self) -> Path | None:
        """The user's own folder of operators."""
        return Path(self.operators_dir) if self.operators_dir else None

    def require_sensible(self) -> None:
        """Raise ValueError for a number that no request could have had."""
        least = {"rounds": 1, "candidates": 1, "parallel": 1, "max_debugs": 0, "patience": 0, "seed": 0}
        for name, bound in least.items():
            if getattr(self, name) < bound:
                raise ValueError(f"{name} is {getattr(self, name)}, below {bound}")
        for name in ("max_minutes", "max_usd", "max_tokens"):
            limit = getattr(self, name)
            if limit is not None and not 0 < limit < math.inf:
                raise ValueError(f"{name} is {limit}")
