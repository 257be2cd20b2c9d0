import json
import math

from cudamaster.report.document import to_text


def test_a_figure_that_is_no_finite_number_is_left_out() -> None:
    text = to_text({"a": math.inf, "b": [1.0, math.nan], "c": {"d": -math.inf, "e": 2}})

    assert json.loads(text) == {"b": [1.0], "c": {"e": 2}}


def test_null_stays() -> None:
    assert json.loads(to_text({"guard": None})) == {"guard": None}
