"""Arithmetic over tuning parameters, as a strategy's file writes it: `BM * BN // (TM * TN)`; no eval."""

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache

Binary = Callable[[int, int], int]

BINARY: dict[type[ast.operator], Binary] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
COMPARISON: dict[type[ast.cmpop], Binary] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
FUNCTIONS: dict[str, Binary] = {"max": max, "min": min}


class BadExpression(ValueError):
    """The text is no arithmetic over the names it was given."""


def evaluate(text: str, names: Mapping[str, int]) -> int:
    """The value of `text`; a comparison is 1 or 0, `a and b` is 1 when both are. Raises BadExpression."""
    return _value(_parsed(text), names, text)


@cache
def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise BadExpression(f"'{text}' is not an expression") from error


def _value(node: ast.expr, names: Mapping[str, int], text: str) -> int:
    match node:
        case ast.Constant(value=int() as number):
            return number
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            return BINARY[type(op)](_value(left, names, text), _value(right, names, text))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISON:
            return int(COMPARISON[type(op)](_value(left, names, text), _value(right, names, text)))
        case ast.BoolOp(op=ast.And(), values=parts):
            return int(all(_value(part, names, text) for part in parts))
        case ast.BoolOp(op=ast.Or(), values=parts):
            return int(any(_value(part, names, text) for part in parts))
        case ast.Call(func=ast.Name(id=function), args=[left, right], keywords=[]) if function in FUNCTIONS:
            return FUNCTIONS[function](_value(left, names, text), _value(right, names, text))
    raise BadExpression(
        f"'{ast.unparse(node)}' in '{text}' is not understood; known names: {', '.join(names)}"
    )
