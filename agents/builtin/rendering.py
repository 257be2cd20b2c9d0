"""Renders a strategy's template to a complete `.cu` source."""

import re
from functools import cache

import jinja2

from cudamaster.agents.builtin.catalog import PLAYBOOK
from cudamaster.agents.builtin.strategy import Setting, Strategy
from cudamaster.toolchain.spec import DeviceSpec
from mskernelbench.operator import Precision


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


def render_kernel(
    strategy: Strategy, setting: Setting, *, precision: Precision, entry: str, spec: DeviceSpec
) -> str:
    """The source of `strategy` at `setting`, with the entry named `entry`; the same for the same input."""
    template = environment().get_template(strategy.template)
    head = f"// {strategy.title}" + (f": {describe(setting)}" if setting else "") + "\n"
    body = template.render(precision=str(precision), entry=entry, device=spec, **setting)
    return head + re.sub(r"\n{3,}", "\n\n", body)


def describe(setting: Setting) -> str:
    """A setting in one line: `BM=128, BN=64`."""
    return ", ".join(f"{name}={value}" for name, value in setting.items())
