"""The straightforward way: every figure of every behaviour on all 12,870 halves, cell by cell, and one look at each."""

import math
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from stoprule.analysis.bootstrap import Strata
from stoprule.analysis.selection import Budget, Utility
from stoprule.analysis.units import ranked

CLOSE = 1e-12


@cache
def inside() -> np.ndarray:
    """(12870, 16) whether a block is in a half; the other half of the i-th is the i-th from the end."""
    picked = np.array(list(combinations(range(16), 8)))
    halves = np.zeros((len(picked), 16))
    np.put_along_axis(halves, picked, 1.0, axis=1)
    return halves


def block_of(groups: Strata, assignment: int) -> np.ndarray:
    dealt, start = {}, 0
    for size in groups.sizes:
        for place, group in enumerate(ranked(f"block {assignment} ", groups.groups[start : start + size])):
            dealt[group] = (start + place) % 16
        start += size
    return np.array([dealt[group] for group in groups.groups])


def figures(values: np.ndarray, groups: Strata, assignment: int) -> np.ndarray:
    """(12870, K) macro means over the cells of each half."""
    block = block_of(groups, assignment)[groups.position]
    by_cell = []
    for cell in np.unique(groups.pair_cell):
        sums, sizes = np.zeros((16, len(values))), np.zeros(16)
        for pair in np.flatnonzero(groups.pair_cell == cell):
            rows = np.flatnonzero(groups.pair == pair)
            sums[block[rows[0]]] += values[:, rows].mean(axis=1)
            sizes[block[rows[0]]] += 1
        by_cell.append(inside() @ sums / (inside() @ sizes)[:, None])
    return np.mean(by_cell, axis=0)


@dataclass(frozen=True)
class Looked:
    """What was found in the splits with a choice, and how many these are."""

    some: int
    below: float
    over: int

    @classmethod
    def at(cls, aim: np.ndarray, cost: np.ndarray, limit: float) -> "Looked":
        eligible = cost <= limit
        some = eligible.any(axis=1)
        reached = np.where(eligible, aim, -np.inf)
        best = reached >= reached.max(axis=1, keepdims=True) - CLOSE * np.abs(aim).max()
        spent = np.where(best & eligible, cost, np.inf)
        least = spent.min(axis=1, keepdims=True) + CLOSE * np.abs(cost).max()
        choice = (spent <= least).argmax(axis=1)[:, None]
        then_aim, then_cost = aim[::-1], cost[::-1]
        then_chosen = np.take_along_axis(then_aim, choice, axis=1)
        slack = CLOSE * np.abs(aim).max()
        lower = (eligible & (then_aim < then_chosen - slack)).sum(axis=1)[some]
        higher = (eligible & (then_aim > then_chosen + slack)).sum(axis=1)[some]
        over = np.take_along_axis(then_cost, choice, axis=1)[some] > limit
        return cls(int(some.sum()), (lower < higher).sum() + (lower == higher).sum() / 2, int(over.sum()))


def overfit_twin(quality, cost, groups: Strata, policy: Budget | Utility, assignments: int) -> tuple:
    """By assignment, over budget and without a choice, of behaviours that are distinct."""
    looked = []
    for i in range(assignments):
        earned, spent = figures(quality, groups, i), figures(cost, groups, i)
        if isinstance(policy, Budget):
            looked.append(Looked.at(earned, spent, policy.max_cost + CLOSE * abs(policy.max_cost)))
        else:
            looked.append(Looked.at(earned - policy.price * spent, spent, math.inf))
    if not all(one.some for one in looked):
        return (), None, None
    some = sum(one.some for one in looked)
    return (
        tuple(one.below / one.some for one in looked),
        sum(one.over for one in looked) / some if isinstance(policy, Budget) else None,
        1 - some / assignments / 12870,
    )


def broken_twin(surplus, cost, groups: Strata, assignments: int) -> tuple:
    """By assignment and without a choice."""
    limit = CLOSE * np.abs(surplus).max()
    looked = [Looked.at(-figures(cost, groups, i), -figures(surplus, groups, i), limit) for i in range(assignments)]
    if not all(one.some for one in looked):
        return (), 1.0
    some = sum(one.some for one in looked)
    return tuple(one.over / one.some for one in looked), 1 - some / (assignments * 12870)
