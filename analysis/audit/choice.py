"""How the rule was chosen: by the final split, by hand, from few questions, for rounds that help."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from ...enumerate.ledger import ledger
from ...enumerate.remarks import atoms_of, meant
from ...enumerate.replay import replay, replayed
from ...rules.expression import Compare, Rule
from ...rules.lockfile import Lock
from ...rules.named import fixed
from ...rules.text import parse
from ...trajectories.errors import SelectionError
from ...trajectories.table import Trajectories
from ..baselines import label
from ..bootstrap import strata
from ..guarantee import Guarantee
from ..selection import POLICIES, Policy, Retain, select
from .evidence import Evidence
from .findings import Answer, Verdict, listed, not_run

FEW_GROUPS = 100
MODEST_GROUPS = 300
SEEN = 2.8  # standard errors: 1.96 for a two-sided 5% test and .84 for 80% power


def picked_on_final(e: Evidence) -> Answer:
    """Whether the final split explains the choice better than the selection split does."""
    what = "rank of the locked rule by final quality, among the rules of the selection front"
    literal = _literal_cuts(e)
    if e.final is not None and e.final["first"] and not _first_on_selection(e):
        return Answer(
            "fail",
            e.final["rank"],
            what,
            f"of {e.final['rivals']} rules the policy would have chosen `{e.rule}` on the final split, but not on the "
            "selection split",
            "lock the rule that the selection split chooses; what was picked on the final split needs new questions",
        )
    if literal:
        return Answer(
            "note",
            len(literal),
            "rules of the study with a cut given as a number",
            f"the study names `{listed(literal)}`: where its cut came from is not on record",
            'let the search find it: write ? with cuts = "exact", or say on which other data it was found',
        )
    if e.final is None:
        return not_run("the final split is not opened yet", "run `stoprule evaluate` first")
    return Answer(
        "pass",
        e.final["rank"],
        what,
        "the selection split chooses the locked rule; by final quality it is number "
        f"{e.final['rank']} of {e.final['rivals']}",
    )


def _literal_cuts(e: Evidence) -> list[str]:
    rules = [parse(entry["rule"]) for entry in e.search if entry.get("rule") is not None]
    return [str(rule) for rule in rules if any(isinstance(a, Compare) and not meant(a) for a in atoms_of(rule))]


def _first_on_selection(e: Evidence) -> bool:
    return e.candidates is None or chosen_by_policy(e.lock, e.candidates, e.selection) == str(e.rule)


def chosen_by_policy(lock: Lock, candidates: pl.DataFrame, t: Trajectories) -> str | None:
    """The rule that the lock's policy chooses among some rules with their figures on a table; None when it allows none.

    A policy that tests, and so cannot be repeated on figures alone, chooses the locked rule.
    """
    policy = policy_of(lock)
    if policy is None:
        return str(lock.rule)
    of = parse(policy.of) if isinstance(policy, Retain) else None
    reference = None if of is None else float(figures_of([of], t)["quality"][0])
    try:
        return str(select(candidates, policy, reference=reference)["rule"])
    except SelectionError:
        return None


def policy_of(lock: Lock) -> Policy | None:
    """The policy of a lock; None for one that chooses by tests, not by figures alone."""
    named = dict(lock.content["policy"])
    kind = POLICIES.get(named.pop("policy"))
    return None if kind is None else kind(**named)


def guarantee_of(lock: Lock) -> Guarantee | None:
    """The guarantee of a lock; None for any other policy."""
    named = dict(lock.content["policy"])
    return Guarantee(**named) if named.pop("policy") == Guarantee.name else None


def figures_of(rules: Sequence[Rule], t: Trajectories) -> pl.DataFrame:
    """Macro figures of some rules on a table, as the candidates have them."""
    figures = replayed(rules, t, ledger(t))
    return pl.DataFrame(
        {
            "rule": [str(rule) for rule in rules],
            "quality": figures.quality,
            "cost": figures.cost,
            "calls": figures.calls,
        }
    ).with_columns(equivalents=pl.lit([], dtype=pl.List(pl.String)))


def small_sample(e: Evidence) -> Answer:
    """Whether selection or final split has too few groups to see a difference that matters."""
    what = "groups of the smaller of selection and final split"
    sizes = {side: len(e.split.ids(side)) for side in ("selection", "final")}
    side = min(sizes, key=lambda each: sizes[each])
    few = sizes[side]
    seen = detectable(e, few)
    cause = f"the {side} split has {few:,} groups"
    if seen is not None:
        cause += (
            f": one study of five misses a difference of {e.worth(seen)} {e.roles.quality} to {label(e.comparator)}"
        )
    if few < MODEST_GROUPS:
        verdict: Verdict = "warn" if few < FEW_GROUPS else "note"
        return Answer(verdict, few, what, cause, "record more questions, or claim no smaller difference")
    return Answer("pass", few, what, cause)


def detectable(e: Evidence, groups: int) -> float | None:
    """The difference to the comparator that so many groups show with 80% power; None when none varies."""
    units = strata(e.selection.cell, e.selection.group)
    difference = replay(e.rule, e.selection).quality - replay(e.comparator, e.selection).quality
    each = units.contributions(difference) * len(units.groups)  # their mean is the macro difference
    spread = float(np.std(each, ddof=1)) if len(each) > 1 else 0.0
    return SEEN * spread / math.sqrt(groups) if spread > 0 else None


def no_gain_from_rounds(e: Evidence) -> Answer:
    """Whether stopping at once is the best fixed depth: then there is little for a rule to win."""
    what = "quality of the best fixed depth above that of fixed(1), on the selection split"
    t = e.selection
    depth = figures_of([fixed(k) for k in range(1, t.rounds + 1)], t)["quality"].to_numpy()
    best = int(depth.argmax()) + 1
    gain = float(depth[best - 1] - depth[0])
    ends = f"{t.roles.quality} is {e.worth(depth[0])} with fixed(1) and {e.worth(depth[-1])} with fixed({t.rounds})"
    if best == 1:
        return Answer(
            "note",
            gain,
            what,
            f"more rounds do not help: {ends}",
            "compare with fixed(1); a stronger model, or a quality that grows with the rounds, leaves more to win",
        )
    return Answer("pass", gain, what, f"fixed({best}) is the best fixed depth: {ends}")
