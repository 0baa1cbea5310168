"""Selection that holds: a front found on a third of the groups, its rules tested in turn on the rest.

Learn-then-Test (Angelopoulos et al., 2021) with a fixed sequence: what is tested, and in which order, depends on the
choosing part alone, so that the certifying groups are independent of it, and nothing is fitted on them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

import numpy as np
import polars as pl

from ..enumerate.replay import replay
from ..rules.arrays import check
from ..rules.expression import Rule
from ..rules.text import parse
from ..trajectories.errors import SelectionError, StudyError
from ..trajectories.nearest import nearest
from ..trajectories.table import Floats, Trajectories
from .baselines import FIRST_RIGHT, ORACLE
from .betting import Bet, betting_p
from .exact_margin import exact_margin_p
from .multiplicity import bonferroni, every_one, holm
from .power import CertifiableLoss, certifiable_loss
from .units import Units, independent_units, ranked, units_by_cell

WORD = "guarantee"
CHOOSING_SHARE = 3  # one group of so many chooses, the others certify
POWER_SEED = 42

Test = Literal["betting", "exact"]
Part = Literal["choosing", "certifying"]


@dataclass(frozen=True)
class Guarantee:
    """The last rule of the front, best quality first, that certainly loses less than ``max_loss`` to ``of``.

    Attributes
    ----------
    max_loss : float
        Mean loss in quality, in the data's own unit.
    alpha : float
        Probability of locking a rule that loses more.
    of : str
        The rule to compare with; it is the answer where no other passes.
    in_every_cell : bool
        Whether the loss is limited in every cell, not in their mean.
    also : outcome -> max_loss
        Further outcomes whose mean loss is limited too; they share the declared range of the quality.
    test : "betting" or "exact"
        Exact: Tango's, for right or wrong outcomes, one trajectory a group, in one cell or in every cell.
    """

    name: ClassVar[str] = WORD
    max_loss: float
    alpha: float
    of: str
    in_every_cell: bool = False
    also: Mapping[str, float] = field(default_factory=dict)
    test: Test = "betting"

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise SelectionError(
                f"guarantee: alpha must lie between 0 and 1, not {self.alpha!r}; the usual values are 0.05 and 0.1"
            )
        for key, loss in {"max_loss": self.max_loss, **self.also}.items():
            if not (math.isfinite(loss) and loss >= 0):
                raise SelectionError(f"guarantee: {key} is a mean loss that is still acceptable, not {loss!r}")
        if self.of.strip() in (ORACLE, FIRST_RIGHT):
            raise SelectionError(
                f"guarantee: of = {self.of!r} reads the outcomes and cannot be deployed; name a rule, as in "
                'of = "fixed(5)"'
            )
        object.__setattr__(self, "of", str(parse(self.of)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Parts:
    """The selection split in two: A chooses, B certifies."""

    choosing: Trajectories
    certifying: Trajectories

    def of(self, part: Part) -> Trajectories:
        """The rows of a part."""
        return self.choosing if part == "choosing" else self.certifying

    @property
    def certifying_ids(self) -> tuple[str, ...]:
        """The groups of B, sorted."""
        return tuple(sorted(set(self.certifying.group)))


def parts(selection: Trajectories) -> Parts:
    """Rank the groups by hash over all cells: the first third, rounded down, is A.

    Raises
    ------
    SelectionError
        When a part has no group in some cell.
    """
    order = ranked(WORD, selection.group)
    chooses = set(order[: len(order) // CHOOSING_SHARE])
    of_a = np.array([group in chooses for group in selection.group], dtype=np.bool_)
    for name, rows in (("choosing third", of_a), ("certifying two thirds", ~of_a)):
        if lacking := sorted(set(selection.cell) - set(selection.cell[rows])):
            where = f" in cell {lacking[0]!r}" if lacking[0] else ""
            raise SelectionError(
                f"guarantee: the {name} of {len(order)} selection groups has none{where}; record more questions"
            )
    return Parts(choosing=selection.take(of_a), certifying=selection.take(~of_a))


def sequence(candidates: pl.DataFrame) -> list[Rule]:
    """The rules of A's front in the order of the tests: most quality first, then less cost, fewer atoms, text."""
    rows = candidates.filter("on_front").select("rule", "quality", "cost").iter_rows()
    rules = [(parse(text), quality, cost) for text, quality, cost in rows]
    return [rule for rule, _, _ in sorted(rules, key=lambda row: (-row[1], row[2], row[0].atoms, str(row[0])))]


@dataclass(frozen=True, eq=False, kw_only=True)
class Constraint:
    """A limit on the mean loss in one outcome: the macro mean, or the mean in one cell.

    Attributes
    ----------
    outcome : str
    cell : str or None
    max_loss, largest : float
        Largest: what a loss can be, by the declared range.
    choosing, certifying : Units
    """

    outcome: str
    cell: str | None
    max_loss: float
    largest: float
    choosing: Units
    certifying: Units

    def units(self, part: Part) -> Units:
        """The units of a part."""
        return self.choosing if part == "choosing" else self.certifying


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A rule on the certifying part.

    Attributes
    ----------
    rule : Rule
    p : tuple of float
        Of H0: the mean loss is ``max_loss`` or more; one for each constraint.
    losses : tuple of (n,) float64
        What was tested, one for each constraint.
    """

    rule: Rule
    p: tuple[float, ...]
    losses: tuple[Floats, ...]

    @property
    def largest_p(self) -> float:
        """Of the claim that all constraints hold."""
        return every_one(self.p)


class Trial:
    """The tests that a guarantee asks for, on one pair of parts.

    Parameters
    ----------
    policy : Guarantee
    of_parts : Parts

    Raises
    ------
    StudyError
        Without a declared range, for an unknown outcome, or one outside the range.
    RuleError
        When ``of`` reads what the table does not have.
    """

    def __init__(self, policy: Guarantee, of_parts: Parts) -> None:
        self.policy = policy
        self.parts = of_parts
        self.of = parse(policy.of)
        check(self.of, of_parts.choosing)
        self.constraints = _constraints(policy, of_parts)
        self._reached = {part: self._outcomes(self.of, part) for part in get_args(Part)}

    def run(self, rules: Sequence[Rule]) -> list[Judged]:
        """Test each rule in turn, up to the first that fails: that one is the last, unless all pass."""
        tested: list[Judged] = []
        for rule in rules:
            tested.append(self.test(rule))
            if tested[-1].largest_p > self.policy.alpha:
                break
        return tested

    def passed(self, tested: Sequence[Judged]) -> list[Rule]:
        """The rules of a run that are certified; the last of them is the answer."""
        return [each.rule for each in tested if each.largest_p <= self.policy.alpha]

    def test(self, rule: Rule, *, alpha: float | None = None) -> Judged:
        """Test one rule; the bets aim at ``alpha``, the policy's own if it is not given."""
        level = self.policy.alpha if alpha is None else alpha
        chosen, held = self.losses(rule, "choosing"), self.losses(rule, "certifying")
        p = [self._p(*each, level) for each in zip(self.constraints, chosen, held, strict=True)]
        return Judged(rule=rule, p=tuple(p), losses=tuple(held))

    def losses(self, rule: Rule, part: Part) -> list[Floats]:
        """What a rule loses in each unit of a part, for each constraint."""
        own, reached = self._outcomes(rule, part), self._reached[part]
        return [each.units(part).values(reached[each.outcome] - own[each.outcome]) for each in self.constraints]

    def certifiable(self, rules: Sequence[Rule]) -> tuple[Rule, list[CertifiableLoss]]:
        """Before B is opened: what can be certified of the rule that A hopes for, one figure a constraint.

        That rule is the last of the sequence whose mean losses on A are within the limits, else the first.
        """
        hoped = rules[0]
        for rule in rules:
            means = [losses.mean() for losses in self.losses(rule, "choosing")]
            if all(mean <= each.max_loss for mean, each in zip(means, self.constraints, strict=True)):
                hoped = rule
        return hoped, [
            certifiable_loss(
                losses,
                len(each.certifying),
                alpha=self.policy.alpha,
                seed=POWER_SEED,
                largest=each.largest,
                test=self.policy.test,
            )
            for each, losses in zip(self.constraints, self.losses(hoped, "choosing"), strict=True)
        ]

    def without_sequence(self, rules: Sequence[Rule]) -> dict[str, list[Rule]]:
        """For comparison: the rules of the front that Bonferroni and Holm certify, all of them tested."""
        alpha = self.policy.alpha
        p = [self.test(rule, alpha=alpha / len(rules)).largest_p for rule in rules]
        return {
            name: [rule for rule, each in zip(rules, adjusted(p), strict=True) if each <= alpha]
            for name, adjusted in (("bonferroni", bonferroni), ("holm", holm))
        }

    def _outcomes(self, rule: Rule, part: Part) -> dict[str, Floats]:
        t = self.parts.of(part)
        here = np.arange(len(t)), replay(rule, t).stop_round - 1
        return {each.outcome: t.outcomes[each.outcome][here] for each in self.constraints}

    def _p(self, limit: Constraint, chosen: Floats, held: Floats, alpha: float) -> float:
        if self.policy.test == "exact":
            return exact_margin_p(held, max_loss=limit.max_loss, largest=limit.largest)
        bet = Bet.from_losses(chosen, largest=limit.largest)
        return betting_p(held, max_loss=limit.max_loss, alpha=alpha, bet=bet, largest=limit.largest)


def _constraints(policy: Guarantee, of_parts: Parts) -> tuple[Constraint, ...]:
    a, b = of_parts.choosing, of_parts.certifying
    if a.roles.range is None:
        raise StudyError(
            'policy "guarantee" needs data.range, the lowest and highest possible quality, as in range = [0, 1]: '
            "the test bets on bounded losses"
        )
    low, high = a.roles.range
    limits = {a.roles.quality: policy.max_loss, **policy.also}
    for outcome in limits:
        if outcome not in a.outcomes:
            raise StudyError(f"select.also: no outcome {outcome!r}{nearest(outcome, a.outcomes)}; list it in outcomes")
        for t in (a, b):
            known = t.outcomes[outcome][t.recorded]
            if not ((known >= low) & (known <= high)).all():
                raise StudyError(f"select.also: {outcome} leaves the declared range {low:g} to {high:g}; leave it out")
    if policy.in_every_cell:
        by_cell = units_by_cell(a.cell, a.group), units_by_cell(b.cell, b.group)
        places: dict[str | None, tuple[Units, Units]] = {
            name: (by_cell[0][name], by_cell[1][name]) for name in a.cell_names
        }
    else:
        places = {None: (independent_units(a.cell, a.group), independent_units(b.cell, b.group))}
    for chosen, held in places.values():
        if policy.test == "exact" and (held.recipe != "one cell" or (held.weight[held.unit >= 0] < 1).any()):
            raise SelectionError(
                'guarantee: test = "exact" is for one trajectory a group, in one cell or with in_every_cell = true; '
                "leave it out"
            )
        if not len(chosen) or not len(held):
            raise SelectionError("guarantee: a part has no independent group; record more questions")
    return tuple(
        Constraint(outcome=outcome, cell=cell, max_loss=loss, largest=high - low, choosing=chosen, certifying=held)
        for outcome, loss in limits.items()
        for cell, (chosen, held) in places.items()
    )
