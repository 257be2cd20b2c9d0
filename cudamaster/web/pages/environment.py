"""Jinja2 as the pages use it: everything is escaped, nothing may be left undefined, and no page asks anybody.

Style and script stand within each page, and its policy names them by their hashes; nothing else may run.
"""

import hashlib
import os
from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined, UndefinedError
from markupsafe import Markup

from cudamaster.agents.wording import quantity
from cudamaster.report.figures import (
    clock_text,
    clocked,
    counted,
    interval_words,
    percent,
    times,
    with_parameters,
)
from cudamaster.report.stopping import STOPPED_BY
from cudamaster.report.visible import visible
from cudamaster.web.pages.movements import words


def sentence(text: str) -> str:
    """`text` with one full stop at its end, whether it came with one or not."""
    return f"{text.rstrip().rstrip('.')}." if text.strip() else ""


def address(path: str) -> str:
    """A path as a link names it, byte for byte: a folder's name need not be text."""
    return quote(os.fsencode(path))


FILTERS = {
    "address": address,
    "times": times,
    "brackets": interval_words,
    "clock_text": clock_text,
    "percent": percent,
    "clocked": clocked,
    "counted": counted,
    "quantity": quantity,
    "metric": words,
    "sentence": sentence,
    "stopping": STOPPED_BY.__getitem__,
    "with_parameters": with_parameters,
}


@cache
def environment() -> Environment:
    """The templates of this folder."""
    made = Environment(
        loader=PackageLoader("cudamaster.web.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    made.filters.update(FILTERS)
    return made


def _shown(value: Any) -> Any:
    """What a template writes: text that is no markup of ours has its unseen characters made visible."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def rendered(template: str, *, live: bool = False, **context: Any) -> str:
    """A page from a template; a `live` one may listen to the server that it came from.

    Raises ValueError where a document lacks what the template shows of it.
    """
    style, script = _part("style.css"), _part("page.js") + (_part("live.js") if live else "")
    heard = "'self'" if live else "'none'"
    policy = (
        f"default-src 'none'; style-src {_named(style)}; script-src {_named(script)}; img-src data:; "
        f"connect-src {heard}; base-uri 'none'; form-action 'none'"
    )
    parts = {"style": Markup(style), "script": Markup(script), "policy": policy, "live": live}
    try:
        return environment().get_template(template).render(parts | context)
    except UndefinedError as fault:
        raise ValueError(str(fault)) from fault


def _named(part: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(part.encode()).digest()).decode()}'"


@cache
def _part(name: str) -> str:
    """A file of the templates that pages hold as it is."""
    return (files("cudamaster.web.pages") / "templates" / name).read_text(encoding="utf-8")
