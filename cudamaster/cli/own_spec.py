"""`--spec FILE.py`: an operator of the user's own, in one file that names its baseline."""

from dataclasses import dataclass
from pathlib import Path

from cudamaster.errors import UsageError

GIVE = {
    "--operator": "give an operator that 'cudamaster operators' lists",
    "--precision": "give fp32 or bf16",
}
"""How to mend that an option is missing."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a command is to work on."""

    operator: str
    precision: str
    own: Path | None
    """The user's own folder of operators, or a spec."""


def named_by(
    operator: str | None, precision: str | None, operators_dir: Path | None, spec: Path | None
) -> Named:
    """The operator and precision that the options name; both follow from a `spec` with one baseline.

    The spec is tried without its kernel. Raises UsageError, BadOperator.
    """
    if spec is None:
        for name, value in (("--operator", operator), ("--precision", precision)):
            if value is None:
                raise UsageError(
                    f"Missing option '{name}': {GIVE[name]}, or --spec for a kernel of your own."
                )
        return Named(str(operator), str(precision), operators_dir)
    return of_spec(spec, precision, operator) if operators_dir is None else _both()


def of_folder_or_spec(
    operators_dir: Path | None, spec: Path | None, names: tuple[str, ...]
) -> tuple[Path | None, tuple[str, ...]]:
    """The user's own folder or spec, and the operators that are meant: that of a spec where none is named.

    Raises UsageError, BadOperator.
    """
    from mskernelbench.user_operators import load

    if spec is None:
        return operators_dir, names
    if operators_dir is not None:
        _both()
    return own_of(None, spec), names or (load(spec).name,)


def own_of(operators_dir: Path | None, spec: Path | None) -> Path | None:
    """The user's own folder or spec, tried in each of its precisions. Raises what `named_by` does."""
    from mskernelbench.user_operators import load

    if spec is None:
        return operators_dir
    precisions = load(spec).precisions if spec.is_file() else (None,)
    for precision in precisions:
        named_by(None, precision, operators_dir, spec)
    return spec


def _both() -> Named:
    raise UsageError("--spec and --operators-dir both say where your operator is: give one of them")


def of_spec(spec: Path, precision: str | None, name: str | None = None) -> Named:
    """The operator of one spec, which may be named too. Raises UsageError, BadOperator, UnknownPrecision."""
    from mskernelbench.catalog import find_operator, find_precision
    from mskernelbench.rehearsal import rehearse
    from mskernelbench.user_operators import load

    if not spec.is_file():
        raise UsageError(f"--spec: {spec} is no file; 'cudamaster init-operator KERNEL.cu' begins one")
    operator = find_operator(load(spec).name, spec).operator
    if name not in (None, operator.name, *operator.aliases):
        raise UsageError(f"{spec} is of the operator {operator.name}, not {name}: give that, or no --spec")
    known = operator.precisions
    if precision is None and len(known) > 1:
        raise UsageError(f"{spec} has baselines in {' and '.join(known)}: pick one with --precision")
    chosen = find_precision(precision) if precision else known[0]
    operator.baseline(chosen)
    rehearse(operator, chosen, spec)
    return Named(operator.name, str(chosen), spec)


def of_kernel(kernel: Path, spec: Path, precision: str | None) -> Named:
    """The operator of a spec, one of whose baselines is `kernel`. Raises what `of_spec` does."""
    from mskernelbench.user_operators import load

    files = load(spec).baselines if spec.is_file() else None
    named = [str(p) for p, file in (files or {}).items() if file.resolve() == kernel.resolve()]
    if files is not None and not named:
        known = ", ".join(str(file) for file in files.values())
        raise UsageError(f"{kernel} is no baseline of {spec}, which names {known}: give that, or name yours")
    return of_spec(spec, precision or (named[0] if named else None))
