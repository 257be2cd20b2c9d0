"""Renders a strategy's template to a complete `.cu` source."""

import re
from functools import cache

import jinja2

from cudamaster.agents.builtin.catalog import PLAYBOOK
from cudamaster.agents.builtin.strategy import Setting, Strategy
from cudamaster.agents.nouns import Situation
from cudamaster.toolchain.spec import DeviceSpec
from mskernelbench.operator import Operator, Precision


@cache
def environment() -> jinja2.Environment:
    """Templates of the playbook; an undefined name is an error, never an empty text."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(PLAYBOOK),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render_for(situation: Situation, strategy: Strategy, setting: Setting) -> str:
    """The source of `strategy` at `setting` for what the situation is about."""
    return render_kernel(
        strategy,
        setting,
        operator=situation.operator,
        precision=situation.precision,
        entry=situation.entry,
        spec=situation.spec,
    )


def render_kernel(
    strategy: Strategy,
    setting: Setting,
    *,
    operator: Operator,
    precision: Precision,
    entry: str,
    spec: DeviceSpec,
) -> str:
    """The source of `strategy` at `setting`, with the entry named `entry`; the same for the same input.

    A template that serves several operators knows which one by `operator` and takes its entry's head from
    `signature`, which ends with the stream.
    """
    template = environment().get_template(strategy.template)
    head = f"// {strategy.title}" + (f": {describe(setting)}" if setting else "") + "\n"
    names = {"operator": operator.name, "precision": str(precision), "entry": entry, "device": spec}
    body = template.render(signature=_signature(operator, precision, entry), **names, **setting)
    return head + re.sub(r"\n{3,}", "\n\n", body)


def _signature(operator: Operator, precision: Precision, entry: str) -> str:
    """The head of the entry's definition, with the stream as its last parameter."""
    declared = operator.c_signature(precision).replace(f" {operator.entry_symbol(precision)}(", f" {entry}(")
    return declared.removesuffix(")") + ", cudaStream_t stream)"


def describe(setting: Setting) -> str:
    """A setting in one line: `BM=128, BN=64`."""
    return ", ".join(f"{name}={value}" for name, value in setting.items())
