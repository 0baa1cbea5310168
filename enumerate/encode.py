"""Lists of rules by round masks: parts that rules share are worked out once, eight rounds at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..rules.arrays import Cache, kleene
from ..rules.expression import And, AtLeast, Expression, Or, Rule
from ..trajectories.table import Ints, Trajectories
from .masks import Parts, combine, first_set, pack


def mask_states(rules: Sequence[Rule], t: Trajectories) -> Ints:
    """The states of K rules that passed `check`, equal to `replay.states` and quicker for many rules.

    Parameters
    ----------
    rules : sequence of K Rule
        At most as many as their masks, and those of their parts, fit the memory: an eighth of the rounds of all
        trajectories in bytes each.
    t : Trajectories

    Returns
    -------
    (K, N) int64
    """
    if not rules:
        return np.empty((0, len(t)), dtype=np.int64)
    levels = _levels(rules)
    number: dict[Expression, int] = {part: i for i, part in enumerate(part for level in levels for part in level)}
    cache: Cache = {}
    masks = pack(np.stack([kleene(atom, t, cache).true & t.recorded for atom in levels[0]]))
    for level in levels[1:]:
        members = [[number[member] for member in part.operands] for part in level]
        parts = Parts.at_least([_need(part) for part in level], members)
        masks = np.concatenate([masks, combine(masks, parts)])
    return np.minimum(first_set(masks[[number[rule] for rule in rules]]), t.rounds, dtype=np.int64)


def _need(part: Rule) -> int:
    match part:
        case AtLeast(k, _):
            return k
        case And(operands):
            return len(operands)
    return 1


def _levels(rules: Sequence[Rule]) -> list[list[Rule]]:
    """The atoms of some rules, then what joins atoms, then what joins those, each once."""
    depth: dict[Rule, int] = {}

    def visit(part: Rule) -> int:
        if part not in depth:
            inner = part.operands if isinstance(part, And | Or | AtLeast) else ()
            depth[part] = 1 + max(map(visit, inner), default=-1)
        return depth[part]

    deepest = max(map(visit, rules))
    levels: list[list[Rule]] = [[] for _ in range(deepest + 1)]
    for part, at in depth.items():
        levels[at].append(part)
    return levels
