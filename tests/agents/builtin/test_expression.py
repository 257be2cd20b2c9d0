import pytest

from cudamaster.agents.builtin.expression import BadExpression, evaluate

NAMES = {"BM": 64, "TM": 4}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("BM // TM * 2", 32),
        ("BM % TM == 0", 1),
        ("BM - 3 > 61 and TM <= 4", 0),
        ("TM == 8 or BM >= 64", 1),
        ("max(BM, 4 * TM + 100)", 116),
        ("min(BM, TM)", 4),
    ],
)
def test_arithmetic_follows_python(text: str, value: int) -> None:
    assert evaluate(text, NAMES) == value


@pytest.mark.parametrize("text", ["BN + 1", "__import__('os')", "BM.real", "1 <", "BM ** 2", "'a'", "max(1)"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(BadExpression):
        evaluate(text, NAMES)
