"""What holds for every strategy: it renders at every setting, names real things, and compiles."""

import itertools
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from cudamaster.agents.builtin.catalog import (
    all_strategies,
    find_strategy,
    parameter_words,
    strategies_for,
)
from cudamaster.agents.builtin.rendering import render_kernel
from cudamaster.agents.builtin.strategy import Setting, Strategy
from cudamaster.toolchain.metrics import METRICS
from mskernelbench.catalog import all_operators, find_operator
from mskernelbench.operator import Precision
from mskernelbench.signatures import signature_hint
from tests.doubles.situations import device

CASES = [
    pytest.param(strategy, operator, precision, id=f"{operator}-{strategy.name}-{precision}")
    for strategy in all_strategies()
    for operator in strategy.operators
    for precision in strategy.precisions
]
COMPILED = [
    (strategy, strategy.operators[-(number % 2)], strategy.precisions[number % len(strategy.precisions)])
    for number, strategy in enumerate(all_strategies())
]
"""Every strategy once, FP32 and BF16 in turn. The rest is exhaustive."""
PARTS = 3
"""Of those in one precision: nvcc takes longest for the headers, and those of a part share them."""
INCLUDE = re.compile(r"^#include .*$", re.MULTILINE)
OPERATORS = ("matrix_mul", "softmax_attention", "spmv_csr", "stencil_2d")
BOUNDS = {"memory", "compute", "latency"}


def render(
    strategy: Strategy, operator: str, precision: Precision, setting: Setting | None = None, suffix: str = ""
) -> str:
    chosen = setting or strategy.default(precision, device())
    assert chosen is not None
    found = find_operator(operator)[0]
    entry = found.entry_symbol(precision) + suffix
    return render_kernel(strategy, chosen, operator=found, precision=precision, entry=entry, spec=device())


@pytest.mark.parametrize("precision", list(Precision))
@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_has_at_least_three_strategies(operator: str, precision: Precision) -> None:
    assert len(strategies_for(find_operator(operator)[0], precision)) >= 3


def test_every_operator_has_a_strategy_in_each_precision() -> None:
    known = {
        (operator, precision)
        for s in all_strategies()
        for operator in s.operators
        for precision in s.precisions
    }

    assert {(o.name, p) for o in all_operators() for p in o.precisions} <= known


def test_names_are_unique_within_an_operator() -> None:
    counted = Counter((operator, s.name) for s in all_strategies() for operator in s.operators)

    assert max(counted.values()) == 1


def test_every_parameter_has_words_for_who_reads_it() -> None:
    for strategy in all_strategies():
        names = {parameter.name: 1 for parameter in strategy.parameters}
        assert len(parameter_words(strategy.name, strategy.operators[0], names)) == len(names), strategy.name


@pytest.mark.parametrize("strategy", all_strategies(), ids=lambda s: f"{s.family}-{s.name}")
def test_a_strategy_names_real_metrics_operators_and_fallbacks(strategy: Strategy) -> None:
    assert strategy.predicted_metric in METRICS
    assert strategy.predicted_direction in ("lower", "higher")
    assert {evidence.metric for evidence in strategy.evidence} <= set(METRICS)
    assert all(set(gains) == BOUNDS for gains in strategy.gain.values())
    assert all(find_operator(name)[0].name == name for name in strategy.operators)


@pytest.mark.parametrize(("strategy", "operator", "precision"), CASES)
def test_falling_back_ends(strategy: Strategy, operator: str, precision: Precision) -> None:
    found, seen = find_operator(operator)[0], set()
    step: Strategy | None = strategy
    while step is not None and step.fallback is not None:
        assert step.name not in seen
        seen.add(step.name)
        step = find_strategy(step.fallback, found, precision)
        assert step is not None, "the fallback exists for the same operator and precision"


@pytest.mark.parametrize(("strategy", "operator", "precision"), CASES)
def test_every_setting_renders_the_entry(strategy: Strategy, operator: str, precision: Precision) -> None:
    entry = find_operator(operator)[0].entry_symbol(precision)
    settings = list(strategy.settings(precision, device()))
    sources = [render(strategy, operator, precision, dict(setting)) for setting in settings]

    assert settings
    assert len(set(sources)) == len(sources), "different settings are different sources"
    assert all(f'extern "C" void {entry}(' in source for source in sources)
    assert all("cudaStream_t stream" in source and "{{" not in source for source in sources)


@pytest.mark.parametrize(("strategy", "operator", "precision"), CASES)
def test_the_default_is_the_declared_one_on_a_large_device(
    strategy: Strategy, operator: str, precision: Precision
) -> None:
    declared = {p.name: p.default for p in strategy.open_parameters(precision)}

    assert strategy.default(precision, device()) == declared


@pytest.mark.parametrize(("strategy", "operator", "precision"), CASES)
def test_a_small_device_gets_settings_that_fit_it(
    strategy: Strategy, operator: str, precision: Precision
) -> None:
    small = device(shared_bytes_per_block=101_376)

    assert strategy.default(precision, small) is not None


@pytest.mark.parametrize(("strategy", "operator", "precision"), CASES)
def test_the_entry_takes_what_it_is_called_with(
    strategy: Strategy, operator: str, precision: Precision
) -> None:
    found = find_operator(operator)[0]
    source = render(strategy, operator, precision)

    assert signature_hint(source, found.entry_symbol(precision), found, precision) is None


def compile_strictly(source: str, folder: Path) -> None:
    """Compiles without a warning, or fails with what nvcc printed."""
    file = folder / "kernel.cu"
    file.write_text(source, encoding="utf-8")
    command = ["nvcc", "-std=c++17", "-arch=sm_90a", "-cubin", "-o", str(folder / "kernel.cubin"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr, done.stderr


def merged(cases: Iterable[tuple[Strategy, str, Precision]]) -> Iterator[str]:
    """Sources of several kernels, each kernel in a namespace: those that include the same headers in one."""
    bodies = defaultdict[tuple[str, ...], list[str]](list)
    for strategy, operator, precision in cases:
        name = f"{strategy.family}_{strategy.name}"
        text = render(strategy, operator, precision, suffix=f"_{name}")
        body = f'namespace {name} {{\n#line 1 "{name}"\n{INCLUDE.sub("", text)}\n}}\n'
        bodies[tuple(sorted(INCLUDE.findall(text)))].append(body)
    for headers, kernels in bodies.items():
        yield "\n".join([*headers, *kernels])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("precision", list(Precision))
def test_the_default_compiles_without_a_warning(precision: Precision, part: int, tmp_path: Path) -> None:
    cases = [case for case in COMPILED if case[2] is precision][part::PARTS]
    assert cases
    for source in merged(cases):
        compile_strictly(source, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("strategy", "operator", "precision"), CASES)
def test_every_operator_compiles_at_the_default_and_the_extremes(
    strategy: Strategy, operator: str, precision: Precision, tmp_path: Path
) -> None:
    settings = list(strategy.settings(precision, device()))
    extremes = [strategy.default(precision, device()), settings[0], settings[-1]]
    for setting, _ in itertools.groupby(extremes):
        assert setting is not None
        compile_strictly(render(strategy, operator, precision, setting), tmp_path)
