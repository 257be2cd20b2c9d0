"""Operands of PTX instructions: text to the nouns of `ptx.nouns`, each text parsed once.

A call's operands are always `(Vector(returns), function, Vector(arguments)[, Symbol(prototype)])`.
A tensor address `[map, {x, y}]` is `Vector((Address(map), Vector((x, y))))`.
"""

import ast
import operator
import re
import struct
from collections.abc import Callable
from functools import lru_cache

from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    Address,
    Float,
    Integer,
    Negated,
    Operand,
    Pair,
    Register,
    Symbol,
    Vector,
)

_ITEM = re.compile(r"\s*(\{[^{}]*\}(?:\s*\|\s*[^,]+)?|\[[^\]]*\]|[^,]+)")
_ADDRESS = re.compile(r"([\w$%.]+)\s*(?:([+-].+))?$", re.DOTALL)
_LITERAL = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uU]?\b")
_INTEGER = re.compile(r"[+-]?\s*(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uU]?$")
_BITS = re.compile(r"0[fF]([0-9a-fA-F]{8})$|0[dD]([0-9a-fA-F]{16})$")
_DECIMAL = re.compile(r"[+-]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?$")
_SYMBOL = re.compile(r"([A-Za-z_$][\w$]*)\s*(?:([+-]\s*[\w\s+*()-]+))?$")
_REGISTER = re.compile(r"%[\w$.]+$|_$|[A-Za-z_$][\w$]*\.[xyzwrgba]$")
_CALL = re.compile(r"\s*(?:\(([^)]*)\)\s*,)?\s*([\w$%]+)\s*(?:,\s*\(([^)]*)\))?\s*(?:,\s*([\w$]+))?\s*$")
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}


def operands(text: str) -> tuple[Operand, ...]:
    """The operands in `text`, which is what follows an ordinary opcode; ValueError if malformed."""
    if "{" in text or "[" in text:
        return tuple([operand(item.strip()) for item in _ITEM.findall(text)])
    return tuple([operand(item.strip()) for item in text.split(",")]) if text else ()


def call_operands(text: str) -> tuple[Operand, ...]:
    """The operands of `call`, in the order the module docstring gives; ValueError if malformed."""
    match = _CALL.match(text)
    if match is None:
        raise ValueError(f"a call with operands {text!r}")
    returned, function, arguments, prototype = match.groups()
    listed = (Vector(operands((returned or "").strip())), operand(function))
    with_arguments = (*listed, Vector(operands((arguments or "").strip())))
    return (*with_arguments, Symbol(prototype)) if prototype else with_arguments


@lru_cache(maxsize=65536)
def operand(text: str) -> Operand:
    """One operand, stripped of space; ValueError where PTX has no such operand."""
    if _REGISTER.match(text):
        return Register(text)
    match text[:1]:
        case "[" if text[-1] == "]":
            return _address(text[1:-1].strip())
        case "{" if "}" in text:
            return _vector(text)
        case "!":
            return Negated(Register(text[1:].strip()))
    if "|" in text and not text[0].isdigit():
        first, second = text.split("|", 1)
        return Pair(operand(first.strip()), operand(second.strip()))
    return _constant(text)


def _vector(text: str) -> Operand:
    inside, _, beside = text[1:].partition("}")
    vector = Vector(operands(inside.strip()))
    return Pair(vector, operand(beside.strip(" |"))) if beside.strip() else vector


def _constant(text: str) -> Operand:
    bits = _BITS.match(text)
    if bits:
        return Float(int(bits[1], 16), 32) if bits[1] else Float(int(bits[2], 16), 64)
    if _INTEGER.match(text):
        return Integer(integer(text))
    if _DECIMAL.match(text):
        return Float(int.from_bytes(struct.pack("<d", float(text)), "little"), 64)
    if text == "WARP_SZ":
        return Integer(32)
    symbol = _SYMBOL.match(text)
    if symbol:
        return Symbol(symbol[1], integer(symbol[2]) if symbol[2] else 0)
    return Integer(integer(text))


def _address(text: str) -> Operand:
    base, comma, rest = text.partition(",")
    if comma:
        return Vector((_address(base.strip()), *operands(rest.strip())))
    match = _ADDRESS.match(text)
    if match is None:
        return Address(Integer(integer(text)))
    offset = integer(match[2]) if match[2] else 0
    place = operand(match[1])
    if not isinstance(place, Register | Symbol | Integer):
        raise ValueError(f"the address [{text}]")
    return Address(place, offset)


def integer(text: str) -> int:
    """An integer constant expression: decimal, hex, octal, binary, `U` suffix, `+ - * / % << >> & | ^ ~`."""
    if text.isdigit() and (text[0] != "0" or text == "0"):
        return int(text)
    if _INTEGER.match(text):
        value = _literal(text.lstrip("+- \t\n"))
        return -value if text[0] == "-" else value
    decimal = _LITERAL.sub(lambda literal: str(_literal(literal.group())), text.strip())
    try:
        return _value(ast.parse(decimal, mode="eval").body)
    except SyntaxError:
        raise ValueError(f"the operand {text!r}") from None


def _literal(text: str) -> int:
    digits = text.rstrip("uU")
    octal = digits[0] == "0" and digits.isdigit()
    return int(digits, 8 if octal else 0)


def _value(node: ast.expr) -> int:
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.BinOp() if type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
        case ast.UnaryOp(op=ast.USub()):
            return -_value(node.operand)
        case ast.UnaryOp(op=ast.Invert()):
            return ~_value(node.operand)
        case ast.UnaryOp(op=ast.UAdd()):
            return _value(node.operand)
    raise ValueError(f"the constant expression {ast.unparse(node)!r}")


def renamed(
    item: Operand, names: dict[str, str], registers: dict[str, str], vectors: dict[str, Vector]
) -> Operand:
    """`item` with the names of a scope put in place; a symbol that is a register or a vector becomes one."""
    match item:
        case Register(name) | Symbol(name, 0) if name in vectors:
            return vectors[name]
        case Register(name):
            return Register(names[name]) if name in names else item
        case Symbol(name, offset) if name in names:
            new = names[name]
            return Register(new) if new in registers else Symbol(new, offset)
        case Address(base, offset):
            place = renamed(base, names, registers, vectors)
            assert isinstance(place, Register | Symbol | Integer)
            return Address(place, offset)
        case Vector(items):
            return Vector(tuple([renamed(part, names, registers, vectors) for part in items]))
        case Pair(first, second):
            parts = (renamed(part, names, registers, vectors) for part in (first, second))
            return Pair(*parts)
        case Negated(register):
            return Negated(Register(names.get(register.name, register.name)))
    return item
