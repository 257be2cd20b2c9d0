"""What tokens cost: a file of prices by the beginning of a model's name, the user's own before ours."""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cudamaster.agents.errors import BadPrices
from cudamaster.agents.models.price import Price

FILE = Path(__file__).parent / "prices.toml"


def price_of(kind: str, model: str, own: Path | None = None) -> Price | None:
    """The price of a kind's model, from the user's `own` file before ours; None where neither names it.

    Raises BadPrices.
    """
    for file in (own, FILE):
        table = _table(kind, file) if file else {}
        fitting = [name for name in table if model.startswith(name)]
        if file and fitting:
            price = _price(table[max(fitting, key=len)], model, file)
            return replace(price, as_of=str(_read(file).get("as_of", "")))
    return None


def _table(kind: str, file: Path) -> Mapping[str, Any]:
    table = _read(file).get(kind, {})
    if not isinstance(table, dict):
        raise BadPrices(f"{file}: {kind} must be a table of models, such as [{kind}.NAME]")
    return table


def _read(file: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as fault:
        raise BadPrices(f"the price file {file} cannot be read: {fault.strerror}") from fault
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise BadPrices(f"the price file {file} is not TOML: {fault}") from fault


def _price(entry: Any, model: str, file: Path | None) -> Price:
    names = ("input", "cached_input", "output")
    try:
        figures = [float(entry[name]) for name in names]
    except (KeyError, TypeError, ValueError) as fault:
        raise BadPrices(f"{file}: the price of {model} needs the numbers {', '.join(names)}") from fault
    if not all(0 <= figure < math.inf for figure in figures):
        raise BadPrices(f"{file}: the price of {model} must be of numbers that are not negative")
    return Price(figures[0], figures[1], figures[2])
