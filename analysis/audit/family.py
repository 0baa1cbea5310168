"""family-wide: does the rule beat the baseline once every rule that was tried is counted?"""

from __future__ import annotations

import numpy as np

from ...enumerate.expand import expand
from ...enumerate.gather import tasks
from ...enumerate.ledger import ledger
from ...enumerate.replay import replay
from ...enumerate.space import space
from ...trajectories.table import Floats
from ..baselines import label
from ..bootstrap import Strata, strata
from ..differences import Differences, MatrixDifferences
from ..family_wide import family_wide
from ..resampled_sums import contributions
from ..search_differences import SearchDifferences
from ..selection import Budget, Utility
from .choice import guarantee_of, policy_of
from .evidence import Evidence
from .findings import Answer, Verdict, not_run

ALPHA = 0.05
SEED = 42
SWEPT_DRAWS = 200  # a draw is a search
MOST_SWEPT = 2_000_000  # rules


def family_wide_check(e: Evidence) -> Answer:
    """Whether the locked rule beats the baseline on the selection split when all rules are counted."""
    what = "p-value of the locked rule against the baseline, corrected for all rules that were tried"
    policy = policy_of(e.lock)
    price = policy.price if isinstance(policy, Utility) else 0.0
    units = strata(e.selection.cell, e.selection.group)
    own = _own(e, price, units)
    if not own.any():
        cause = f"`{e.rule}` gives what {label(e.comparator)} gives on every selection question"
        return Answer("note", 1.0, what, cause, "report it as a fixed depth")
    if e.behaviours is not None and e.keeps_all:
        quality, cost = e.behaviours
        found = family_wide(MatrixDifferences([_gains(e, quality - price * cost, price, units)]), seed=SEED)
    elif guarantee_of(e.lock) is not None or e.lock.content["tried"] > MOST_SWEPT:
        return not_run(f"the {e.lock.content['tried']:,} rules that were tried cannot be swept again", "search fewer")
    else:
        found = family_wide(_swept(e, price, units), seed=SEED, draws=SWEPT_DRAWS)
    # a rule's p-value depends on its statistic alone, which finds it in the family
    statistic = own.sum() / np.sqrt((own**2).sum())
    p = float(found.adjusted[np.nanargmin(np.abs(found.statistic - statistic))])
    better = int(found.better(ALPHA).sum())
    against = (
        f"{label(e.comparator)} on the selection split, all {len(found.statistic):,} rules counted "
        f"(p = {p:.3g}; {f'{better:,} of them do, whatever they cost' if better else 'none does'})"
    )
    if p <= ALPHA:
        return Answer("pass", p, what, f"`{e.rule}` beats {against}")
    verdict: Verdict = "warn" if isinstance(policy, Budget | Utility) else "note"
    return Answer(
        verdict,
        p,
        what,
        f"`{e.rule}` does not beat {against}",
        "claim the calls that are saved, not a better quality, or record more questions",
    )


def _gains(e: Evidence, worth: Floats, price: float, units: Strata) -> Floats:
    """(K, G) what each of some rules, (K, N) in worth, contributes beyond the baseline."""
    baseline = replay(e.comparator, e.selection)
    return contributions(worth - (baseline.quality - price * baseline.cost), units)


def _swept(e: Evidence, price: float, units: Strata) -> Differences:
    """The same of every rule of the study's search, also of those that the search did not keep."""
    book = ledger(e.selection)
    plan = expand(space(list(e.search), e.selection).families, e.selection, book)
    work = [task for _, _, task in tasks(plan, e.selection, book)]
    return SearchDifferences(work, e.selection, e.comparator, units, price=price)


def _own(e: Evidence, price: float, units: Strata) -> Floats:
    """(G,) what the locked rule contributes beyond the baseline."""
    stopped = replay(e.rule, e.selection)
    return np.asarray(_gains(e, (stopped.quality - price * stopped.cost)[None], price, units)[0], np.float64)
