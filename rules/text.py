"""Rules read from text: ``repeat(answer) & margin_cal > 0.25``."""

from __future__ import annotations

import ast
import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, TypeVar

from ..trajectories.errors import RuleError
from ..trajectories.nearest import listing, nearest
from .expression import (
    HOLE,
    And,
    AtLeast,
    Change,
    Clip,
    Compare,
    Cost,
    Expression,
    Hole,
    Missing,
    Not,
    Operator,
    Or,
    Round,
    Rule,
    Signal,
    SoFarMax,
    SoFarMin,
    Streak,
    Term,
    Total,
    as_rule,
    as_term,
)
from .named import fixed, tasr
from .spelling import name_text, shown
from .tokens import COMPARISONS, Token, fault, tokens

_PYTHON = {"&": "and", "|": "or", "~": "not"}
_SIGNS: dict[type[ast.cmpop], tuple[Operator, Operator]] = {  # as written, and turned round
    ast.Gt: (">", "<"),
    ast.GtE: (">=", "<="),
    ast.Lt: ("<", ">"),
    ast.LtE: ("<=", ">="),
    ast.Eq: ("==", "=="),
    ast.NotEq: ("!=", "!="),
}


@dataclass(frozen=True)
class _Function:
    """How a function is written and what it builds; its last kind of argument repeats after ``...``."""

    usage: str
    kinds: tuple[str, ...]
    build: Callable[..., Expression]
    repeats: bool = False


_FUNCTIONS = {
    "signal": _Function('signal("name")', ("name",), Signal),
    "repeat": _Function("repeat(answer)", ("answer",), lambda _: Streak(2)),
    "streak": _Function("streak(answer, k)", ("answer", "number"), lambda _, k: Streak(k)),
    "missing": _Function("missing(x)", ("term",), Missing),
    "change": _Function("change(x)", ("term",), Change),
    "so_far_max": _Function("so_far_max(x)", ("term",), SoFarMax),
    "so_far_min": _Function("so_far_min(x)", ("term",), SoFarMin),
    "clip": _Function("clip(x, low, high)", ("term", "number", "number"), Clip),
    "at_least": _Function(
        "at_least(k, rule, ...)", ("number", "rule"), lambda k, *rules: AtLeast(k, rules), repeats=True
    ),
    "total": _Function("total(x, ...)", ("operand",), lambda *operands: Total(operands), repeats=True),
    "fixed": _Function("fixed(k)", ("number",), fixed),
    "tasr": _Function("tasr()", (), tasr),
}

_EXPECTED = {
    "number": "a plain number",
    "term": "a signal, round, cost or a function of them",
    "operand": "a term or a rule",
}

Built = TypeVar("Built")


def parse(text: str) -> Rule:
    """The rule that a text spells.

    Parameters
    ----------
    text : str
        Comparisons of a signal with a number, Boolean signals and functions, joined by ``&``, ``|`` and ``~``
        (or ``and``, ``or``, ``not``), which bind weaker than comparisons.

    Raises
    ------
    RuleError
        Where the text is no rule: its first line says what is wrong, where, and what to write; under it
        stands the text with a caret.
    """
    if not isinstance(text, str):
        raise RuleError(f"a rule is read from text, not from {shown(text)}")
    return _parsed(text)


@lru_cache(maxsize=4096)  # a command reads the rules of its search several times
def _parsed(text: str) -> Rule:
    reader = _Reader(text)
    return reader.rule(reader.root)


class _Reader:
    """Walks the tree that `ast` makes of a text whose operands are placeholders; nothing is evaluated.

    The placeholders keep Python's own spelling out of it, which folds names to NFKC and knows no ``?``.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        words = [
            f"_{i}" if token.operand else _PYTHON.get(token.text, token.text) for i, token in enumerate(self.tokens)
        ]
        self.starts = list(accumulate((len(word) + 1 for word in words[:-1]), initial=0))
        self.root = ast.parse(" ".join(words), mode="eval").body

    def place(self, node: ast.expr) -> int:
        """The position among the tokens of the first one of ``node``."""
        return bisect_right(self.starts, node.col_offset) - 1

    def token(self, node: ast.expr) -> Token | None:
        """The operand that ``node`` is, if it is one."""
        return self.tokens[self.place(node)] if isinstance(node, ast.Name) else None

    def fault(self, node: ast.expr, message: str) -> RuleError:
        return fault(self.text, self.tokens[self.place(node)].at, message)

    def build(self, node: ast.expr, make: Callable[..., Built], *arguments: object) -> Built:
        """What ``make`` makes of the arguments; its complaint points at ``node``."""
        try:
            return make(*arguments)
        except RuleError as error:
            raise self.fault(node, str(error)) from None

    def rule(self, node: ast.expr) -> Rule:
        value = self.value(node)
        if isinstance(value, float | Hole):
            raise self.fault(node, "a number stands alone: compare a signal with it, as in margin > 0.25")
        return self.build(node, as_rule, value)

    def value(self, node: ast.expr) -> Expression | float | Hole:
        match node:
            case ast.BoolOp(op=op, values=values):
                group = And if isinstance(op, ast.And) else Or
                return self.build(node, group, [self.rule(value) for value in values])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.build(node, Not, self.rule(operand))
            case ast.UnaryOp(operand=operand):
                return -self.number(operand)
            case ast.Compare():
                return self.compare(node)
            case ast.Call():
                return self.call(node)
        return self.operand(node)

    def number(self, node: ast.expr) -> float:
        name = self.tokens[self.place(node)].text
        if name != "inf" and math.isinf(float(name)):
            raise self.fault(node, f"`{name}` exceeds the range of a float: write inf")
        return float(name)

    def operand(self, node: ast.expr) -> Term | float | Hole:
        token = self.tokens[self.place(node)]
        name = token.text
        if token.kind == "string":
            raise self.fault(node, f"quoted text stands only in a signal's name: write {name_text(name)}")
        if token.kind == "symbol":
            return HOLE
        if token.kind == "number" or name == "inf":
            return self.number(node)
        if name in {"round", "cost"}:
            return Round() if name == "round" else Cost()
        if name == "answer":
            raise self.fault(node, "`answer` is no number: write repeat(answer) or streak(answer, 3)")
        if name == "nan":
            raise self.fault(node, "nothing compares with nan: ask for missing values with missing(x)")
        if name in {"true", "false"}:
            raise self.fault(node, f"`{name}` is no part of a rule: a Boolean signal stands alone, as in done or ~done")
        if name in _FUNCTIONS:
            usage = _FUNCTIONS[name].usage
            raise self.fault(
                node, f"`{name}` is a function: write {usage}, or {name_text(name)} for a signal of that name"
            )
        return Signal(name)

    def compare(self, node: ast.Compare) -> Rule:
        if len(node.ops) > 1:
            second = self.place(node.comparators[1])
            while self.tokens[second].text not in COMPARISONS:
                second -= 1
            raise fault(self.text, self.tokens[second].at, "comparisons are not chained: write low < x & x < high")
        left, right = node.left, node.comparators[0]
        sign, turned = _SIGNS[type(node.ops[0])]
        term, cut = self.value(left), self.value(right)
        if isinstance(term, float | Hole):
            if isinstance(cut, float | Hole):
                raise self.fault(node, "two numbers are compared: one side must be a signal, round or cost")
            left, right, sign, term, cut = right, left, turned, cut, term
        if isinstance(cut, Expression):
            raise self.fault(
                right,
                f"`{cut}` stands where a number is expected: record the difference of two signals as one",
            )
        return self.build(left, Compare, self.build(left, as_term, term), sign, cut)

    def call(self, node: ast.Call) -> Expression:
        name = self.tokens[self.place(node.func)].text
        if name not in _FUNCTIONS:
            raise self.fault(node, f"there is no function `{name}`{nearest(name, _FUNCTIONS)}: {listing(_FUNCTIONS)}")
        function = _FUNCTIONS[name]
        kinds = function.kinds
        if function.repeats:
            kinds += kinds[-1:] * (len(node.args) - len(kinds))
        if len(node.args) != len(kinds):
            raise self.fault(node, f"`{name}` has the wrong number of arguments: write {function.usage}")
        arguments = [self.argument(kind, part, function) for kind, part in zip(kinds, node.args, strict=True)]
        return self.build(node, function.build, *arguments)

    def argument(self, kind: str, node: ast.expr, function: _Function) -> Any:
        """An argument of the kind that the function asks for."""
        token = self.token(node)
        if kind == "name":
            if token is None or token.kind != "string":
                raise self.fault(node, f"a name in quotes is expected: write {function.usage}")
            return token.text
        if kind == "answer":
            if token is None or token.kind != "name" or token.text != "answer":
                raise self.fault(node, f"only the answer can be repeated: write {function.usage}")
            return token.text
        if kind == "rule":
            return self.rule(node)
        value = self.value(node)
        if (kind == "number") != isinstance(value, float):
            raise self.fault(node, f"{_EXPECTED[kind]} is expected here: write {function.usage}")
        return self.build(node, as_term, value) if kind == "term" else value
