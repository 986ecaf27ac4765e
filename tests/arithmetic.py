"""Arithmetic as it is written by hand, worked out exactly where it can be.

Numbers are fractions until a logarithm, a root or π makes them floats. `[30 > 0]` is 1 if it is true and
else 0; in `2/12 + … + 30/40` both numbers of a fraction rise by 1 at each step.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from fractions import Fraction

Value = Fraction | float
WRITTEN = {"·": "*", "^": "**", "≥": ">=", "π": "pi"}
RISING = re.compile(r"(\d+)/(\d+) \+ … \+ (\d+)/(\d+)")
OPERATIONS: dict[type[ast.AST], Callable[..., Value]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
FUNCTIONS: dict[str, Callable[..., Value]] = {
    "exp": math.exp,
    "ln": math.log,
    "log2": math.log2,
    "max": max,
    "min": min,
    "sqrt": math.sqrt,
}


def worked_out(text: str) -> Value:
    """The value of an expression."""
    text = RISING.sub(_every_step, text)
    for written, spelled in WRITTEN.items():
        text = text.replace(written, spelled)
    return _value(ast.parse(text, mode="eval").body)


def _every_step(found: re.Match[str]) -> str:
    above, below, last_above, last_below = map(int, found.groups())
    assert last_above - above == last_below - below > 0, found[0]
    return " + ".join(f"{above + step}/{below + step}" for step in range(last_above - above + 1))


def _value(node: ast.expr) -> Value:
    match node:
        case ast.Constant(value=int() | float() as number):
            return Fraction(repr(number))
        case ast.Name(id="pi"):
            return math.pi
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATIONS[type(op)](_value(left), _value(right))
        case ast.UnaryOp(op=op, operand=operand):
            return OPERATIONS[type(op)](_value(operand))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name](*map(_value, arguments))
        case ast.List(elts=[ast.Compare(left=left, ops=[op], comparators=[right])]):
            return Fraction(OPERATIONS[type(op)](_value(left), _value(right)))
    raise ValueError(f"not arithmetic: {ast.unparse(node)}")
