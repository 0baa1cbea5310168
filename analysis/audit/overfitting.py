"""overfit-probability: does what one half of the groups chooses hold on the other?"""

from __future__ import annotations

import numpy as np

from ...enumerate.replay import replay
from ...rules.text import parse
from ..bootstrap import strata
from ..overfitting import broken_constraint, overfit_probability
from ..selection import Budget, Policy, Retain, Utility
from .choice import guarantee_of, policy_of
from .evidence import Evidence
from .findings import Answer, not_run

UNKNOWN = "the candidates of this lock are not in the folder, or too many"
GAMBLE = 0.5  # the overfit probability of a choice that learns nothing


def overfit_probability_check(e: Evidence) -> Answer:
    """How often what one half of the groups chooses is in the worse half of the candidates on the other."""
    what = "probability of backtest overfitting, mean over 20 ways of dealing the groups into blocks"
    policy = policy_of(e.lock)
    if not isinstance(policy, Budget | Utility):
        return _broken_constraint(e, policy)
    if e.behaviours is None:
        return not_run(UNKNOWN, "read the final split")
    units = strata(e.selection.cell, e.selection.group)
    found = overfit_probability(*e.behaviours, units, policy, workers=e.workers)
    if found.reason is not None:
        return Answer("pass", None, what, f"it is undefined: {found.reason}")
    low, high = found.range
    over = "" if np.isnan(found.over_budget) else f"; {found.over_budget:.0%} of the choices exceed the budget there"
    cause = (
        f"of {found.behaviours:,} behaviours{_kept(e)}, what one half of the groups chooses is below the middle on the "
        f"other in {found.value:.0%} of the splits ({low:.0%} to {high:.0%} by assignment){over}"
    )
    if found.value >= GAMBLE:
        return Answer("note", found.value, what, cause, "trust the final split alone; search fewer rules")
    return Answer("pass", found.value, what, cause)


def _broken_constraint(e: Evidence, policy: Policy | None) -> Answer:
    """For policies that take the cheapest rule: how often what one half chooses breaks the constraint on the other."""
    what = "share of splits in which what one half of the groups chooses breaks the constraint on the other"
    guarantee = guarantee_of(e.lock)
    if isinstance(policy, Retain):
        of, share, spare = parse(policy.of), policy.share, 0.0
    elif guarantee is not None:
        of, share, spare = parse(guarantee.of), 1.0, guarantee.max_loss
    else:
        return Answer("pass", None, what, "the policy has no constraint that could be broken")
    if e.behaviours is None:
        return not_run(UNKNOWN, "read the final split")
    quality, cost = e.behaviours
    surplus = quality - share * replay(of, e.selection).quality + spare
    units = strata(e.selection.cell, e.selection.group)
    found = broken_constraint(surplus, cost, units, workers=e.workers)
    if not found.by_assignment:
        return Answer("pass", None, what, "it is undefined: too few groups, or no behaviour meets the constraint")
    low, high = found.range
    said = (
        f"the cheapest rule that meets the constraint on one half of the groups breaks it on the other in "
        f"{found.value:.0%} of the splits ({low:.0%} to {high:.0%} by assignment)"
    )
    if guarantee is not None:
        return Answer(
            "pass", found.value, what, f"{said}, which is why the guarantee tests on groups that chose nothing"
        )
    if found.value >= GAMBLE:
        return Answer("note", found.value, what, said, "use the policy guarantee, or expect the constraint to break")
    return Answer("pass", found.value, what, said)


def _kept(e: Evidence) -> str:
    """Says so where a sweep kept the best at each step of cost only."""
    return "" if e.keeps_all else f" that were kept of {e.lock.content['distinct']:,}"
