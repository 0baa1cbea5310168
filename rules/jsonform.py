"""Rules as JSON, for programs that would rather not write text.

Each node is an object, ``{"compare": {"signal": "margin"}, "op": ">", "cut": 0.25}``; the terms ``round`` and
``cost`` are strings. Infinite numbers, which JSON has not, are ``"inf"`` and ``"-inf"``; a hole is ``"?"``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
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
    Flag,
    Missing,
    Not,
    Or,
    Round,
    Rule,
    Signal,
    SoFarMax,
    SoFarMin,
    Streak,
    Total,
    as_rule,
)
from .spelling import number_text, shown
from .tree import MAX_LEVELS

Built = TypeVar("Built")

_ROLES = {"round": Round(), "cost": Cost()}
# The keys of each kind of node hold the arguments of its class, in order; the first one is its own.
_KEYS: dict[type[Expression], tuple[str, ...]] = {
    Signal: ("signal",),
    Flag: ("flag",),
    Streak: ("streak",),
    Missing: ("missing",),
    Change: ("change",),
    SoFarMax: ("so_far_max",),
    SoFarMin: ("so_far_min",),
    Clip: ("clip", "low", "high"),
    Total: ("total",),
    Compare: ("compare", "op", "cut"),
    And: ("and",),
    Or: ("or",),
    Not: ("not",),
    AtLeast: ("at_least", "of"),
}
_KINDS = {keys[0]: (node, keys) for node, keys in _KEYS.items()}
_LISTS = frozenset({"and", "or", "of", "total"})
_NUMBERS = {"inf": math.inf, "-inf": -math.inf}
_PLAIN = frozenset({"signal", "flag", "streak", "at_least", "op"})
_DEEPEST = 2 * MAX_LEVELS + 2  # one level of the text is at most two nodes, a comparison and its total


def to_json(rule: Rule) -> dict[str, Any]:
    """The rule as an object that `json.dumps` takes, the same for equal rules."""
    tree: dict[str, Any] = _plain(rule)
    return tree


def _plain(part: object) -> Any:
    if isinstance(part, Round | Cost):
        return part.text
    if isinstance(part, Expression):
        values = (_plain(getattr(part, name)) for name in part.__match_args__)
        return dict(zip(_KEYS[type(part)], values, strict=True))
    if isinstance(part, tuple):
        return [_plain(one) for one in part]
    if part is HOLE:
        return "?"
    return number_text(part) if isinstance(part, float) and math.isinf(part) else part


def from_json(tree: object) -> Rule:
    """The rule that an object spells; it need not be in canonical form.

    Raises
    ------
    RuleError
        Where the object is no rule, naming the place as in ``$.or[1].cut``.
    """
    return _built("$", as_rule, _read(tree, "$", 1))


def _built(path: str, make: Callable[..., Built], *arguments: object) -> Built:
    try:
        return make(*arguments)
    except RuleError as error:
        raise _fault(path, str(error)) from None


def _fault(path: str, message: str) -> RuleError:
    return RuleError(f"rule in JSON, at {path}: {message}")


def _read(tree: object, path: str, depth: int) -> Expression:
    if depth > _DEEPEST:
        raise _fault(path[:60], f"the rule nests deeper than {MAX_LEVELS} levels: write it flatter")
    if isinstance(tree, str) and tree in _ROLES:
        return _ROLES[tree]
    if not isinstance(tree, Mapping):
        raise _fault(path, f'a node such as {{"signal": "margin"}} is expected, not {shown(tree)}')
    kinds = [key for key in tree if key in _KINDS]
    if len(kinds) != 1:
        hint = nearest(str(next(iter(tree), "")), _KINDS)
        raise _fault(path, f"one of the keys {listing(_KINDS)} is expected, not {shown(list(tree))}{hint}")
    node, keys = _KINDS[kinds[0]]
    if set(tree) != set(keys):
        raise _fault(path, f"the keys {listing(keys)} are expected, not {shown(list(tree))}")
    return _built(path, node, *(_argument(key, tree[key], f"{path}.{key}", depth) for key in keys))


def _argument(key: str, value: Any, path: str, depth: int) -> object:
    if key in _PLAIN:
        return value
    if key in _LISTS:
        if not isinstance(value, list | tuple):
            raise _fault(path, f"a list of nodes is expected, not {shown(value)}")
        return [_read(part, f"{path}[{i}]", depth + 1) for i, part in enumerate(value)]
    if key in {"low", "high", "cut"}:
        if key == "cut" and value == "?":
            return HOLE
        return _NUMBERS.get(value, value) if isinstance(value, str) else value
    return _read(value, path, depth + 1)
