"""A document as the one JSON text on stdout."""

import json
import math
from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]


def to_text(document: Json) -> str:
    """`document` as JSON for any reader: a figure that is not a finite number is left out."""
    return json.dumps(finite(document), indent=2, allow_nan=False, ensure_ascii=False)


def finite(value: Any) -> Any:
    """`value` without figures that are not finite numbers, which JSON has no way to write."""
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items() if not _strange(item)}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value if not _strange(item)]
    return value


def _strange(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
