"""What `evaluate`, `audit` and `profile` are asked: a kernel's file, and what it is to be judged as."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cudamaster.cli import options

if TYPE_CHECKING:
    from cudamaster.cli.own_spec import Named

Answer = Callable[[click.Context, "Question"], int]


@dataclass(frozen=True, slots=True)
class Question:
    """The options of these commands, as given."""

    file: Path
    operator: str | None
    operators_dir: Path | None
    spec: Path | None
    precision: str | None
    device: str
    entry: str | None
    shapes: tuple[str, ...]
    matrices: tuple[Path, ...]
    seed: int
    as_json: bool
    workloads: str | None = None
    baseline: str = "fair"
    """What the kernel is compared with: `fair` or `published`."""

    @property
    def sets(self) -> tuple[str, ...]:
        """Workload sets, as given or as usual over that baseline. Raises UnknownName."""
        return options.parse_sets(self.workloads, self.baseline)

    @property
    def task(self) -> "Named":
        """The operator and precision that are meant. Raises UsageError, BadOperator."""
        from cudamaster.cli.own_spec import named_by

        return named_by(self.operator, self.precision, self.operators_dir, self.spec)


def put_by(*, choosing_workloads: bool = False) -> Callable[[Answer], Callable[..., int]]:
    """A decorator: the command takes the question's options, and is handed the question."""
    sets, baseline = ((options.sets,), (options.baseline,)) if choosing_workloads else ((), ())
    parameters = (
        click.argument("file", type=click.Path(path_type=Path)),
        options.operator_or_spec,
        options.operators_dir,
        options.spec,
        options.precision_or_spec,
        options.device,
        options.entry,
        *sets,
        options.shape,
        options.matrix,
        *baseline,
        options.seed,
        options.as_json,
    )

    def decorated(answer: Answer) -> Callable[..., int]:
        @click.pass_context
        @wraps(answer)
        def command(context: click.Context, /, **asked: Any) -> int:
            return answer(context, Question(**asked))

        for parameter in reversed(parameters):
            command = parameter(command)
        return command

    return decorated
