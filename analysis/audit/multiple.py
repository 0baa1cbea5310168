"""Many rules were tried: what the best of them is worth once that is counted."""

from __future__ import annotations

import numpy as np

from ...enumerate.replay import replay
from ..baselines import label
from ..bootstrap import strata
from ..differences import MatrixDifferences
from ..family_wide import family_wide
from ..overfitting import overfit_probability
from ..selection import Budget, Utility
from .choice import policy_of
from .evidence import Evidence
from .findings import Answer, Verdict, not_run

ALPHA = 0.05
SEED = 42
GAMBLE = 0.5  # the overfit probability of a choice that learns nothing


def family_wide_check(e: Evidence) -> Answer:
    """Whether the locked rule beats the baseline on the selection split when all rules are counted."""
    what = "p-value of the locked rule against the baseline, corrected for all rules that were tried"
    if e.behaviours is None:
        return not_run("the candidates of this lock are not in the folder", "search again")
    quality, cost = e.behaviours
    policy = policy_of(e.lock)
    price = policy.price if isinstance(policy, Utility) else 0.0
    units = strata(e.selection.cell, e.selection.group)
    baseline = replay(e.comparator, e.selection)
    gains = quality - baseline.quality - price * (cost - baseline.cost)
    found = family_wide(MatrixDifferences([np.stack([units.contributions(row) for row in gains])]), seed=SEED)
    p = float(np.nan_to_num(found.adjusted[e.locked_row], nan=1.0))
    against = f"{label(e.comparator)} on the selection split, all {len(gains):,} behaviours counted (p = {p:.3g}"
    some = int(found.better(ALPHA).sum())
    others = f"; {some} of them do)" if some else "; none does)"
    if p <= ALPHA:
        return Answer("pass", p, what, f"`{e.rule}` beats {against}{others}")
    verdict: Verdict = "warn" if isinstance(policy, Budget | Utility) else "note"
    return Answer(
        verdict,
        p,
        what,
        f"`{e.rule}` does not beat {against}{others}",
        "claim the calls that are saved, not a better quality, or record more questions",
    )


def overfit_probability_check(e: Evidence) -> Answer:
    """How often what one half of the groups chooses is in the worse half of the candidates on the other."""
    what = "probability of backtest overfitting, mean over 20 ways of dealing the groups into blocks"
    policy = policy_of(e.lock)
    if not isinstance(policy, Budget | Utility):
        return Answer("pass", None, what, "it is defined for the policies budget and utility only")
    if e.behaviours is None:
        return not_run("the candidates of this lock are not in the folder", "search again")
    units = strata(e.selection.cell, e.selection.group)
    found = overfit_probability(*e.behaviours, units, policy)
    if found.reason is not None:
        return Answer("pass", None, what, f"it is undefined: {found.reason}")
    low, high = found.range
    over = "" if np.isnan(found.over_budget) else f"; {found.over_budget:.0%} of the choices exceed the budget there"
    cause = (
        f"of {found.behaviours:,} behaviours, what one half of the groups chooses is below the middle on the other in "
        f"{found.value:.0%} of the splits ({low:.0%} to {high:.0%} by assignment){over}"
    )
    if found.value >= GAMBLE:
        return Answer("note", found.value, what, cause, "trust the final split alone; search fewer rules")
    return Answer("pass", found.value, what, cause)
