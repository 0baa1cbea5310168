"""optimism: what the selection figure owes to having been selected, and how steady the choice is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...enumerate.remarks import atoms_of
from ...enumerate.replay import replay
from ...enumerate.search import contenders
from ...enumerate.space import space
from ...rules.expression import Compare, Rule
from ...rules.text import parse
from ...trajectories.calibration import Calibrator, fit
from ...trajectories.errors import SelectionError, StudyError
from ...trajectories.table import Floats, Ints, Trajectories
from ..baselines import label
from ..bootstrap import strata
from ..optimism import REPETITIONS, cross_validated_optimism
from ..selection import Budget, Policy, Retain, Utility, select
from .choice import figures_of, policy_of
from .evidence import Evidence
from .findings import Answer, Verdict, not_run

SEED = 42
MANY_TRIED = 200_000  # rules; beyond it one repetition of the folds has to do
MOST_TRIED = 2_000_000


@dataclass(frozen=True)
class Choice:
    """A rule, and the calibrators that its signals come from."""

    rule: Rule
    calibrators: tuple[Calibrator, ...]

    def quality_and_cost(self, t: Trajectories) -> tuple[Floats, Floats]:
        """What the rule gives on each trajectory of a table as recorded."""
        stopped = replay(self.rule, calibrated(t, self.calibrators))
        return stopped.quality, stopped.cost


def calibrated(t: Trajectories, calibrators: Sequence[Calibrator]) -> Trajectories:
    """A table as recorded, with its calibrated signals."""
    for each in calibrators:
        t = t.with_signal(each.name, each.apply(t))
    return t


@dataclass(frozen=True, eq=False, kw_only=True)
class _Selection:
    """A whole selection that can be made again on some of its trajectories.

    Attributes
    ----------
    t : Trajectories
        As recorded.
    search : sequence of mappings
        The study's entries.
    policy : Policy
    calibrators : sequence of Calibrator
        The lock's.
    fitted_here : frozenset of str
        Calibrators that were fitted on the selection split: they are fitted on the part alone.
    """

    t: Trajectories
    search: Sequence[Mapping[str, Any]]
    policy: Policy
    calibrators: Sequence[Calibrator]
    fitted_here: frozenset[str]

    @property
    def price(self) -> float:
        """Of a unit of cost, in units of quality."""
        return self.policy.price if isinstance(self.policy, Utility) else 0.0

    def choose(self, rows: Ints) -> Choice:
        """What the policy chooses when it sees these trajectories alone."""
        part = self.t.take(rows)
        calibrators = tuple(_again(each, part) if each.name in self.fitted_here else each for each in self.calibrators)
        seen = calibrated(part, calibrators)
        found = contenders(space(list(self.search), seen), seen)
        return Choice(parse(select(found, self.policy, reference=_reference(self.policy, seen))["rule"]), calibrators)

    def score(self, choice: Choice, rows: Ints) -> Floats:
        """What the choice gives in each of these trajectories."""
        quality, cost = choice.quality_and_cost(self.t.take(rows))
        return quality - self.price * cost


def optimism(e: Evidence) -> Answer:
    """The selection figure, and what it is when every question is scored by a choice that did not see it.

    The whole search is made again on nine tenths of the groups, five times ten: cuts, front and policy, and the
    calibrators where they were fitted on the selection split.
    """
    what = "selection figure less its cross-validated value"
    if e.lock.content["guarantee"] is not None:
        return _of_guarantee(e)
    policy = policy_of(e.lock)
    if policy is None:
        return not_run("the policy cannot be repeated on figures alone", "read the final split")
    selection = _Selection(
        t=e.raw_selection,
        search=e.search,
        policy=policy,
        calibrators=e.lock.calibrators,
        fitted_here=frozenset(name for name, how in e.lock.content["calibration"].items() if how["fit"] == "selection"),
    )
    tried = e.lock.content["tried"]
    if tried > MOST_TRIED:
        return not_run(f"a search of {tried:,} rules takes too long to be made fifty times", "read the final split")

    units = strata(e.selection.cell, e.selection.group)
    repetitions = REPETITIONS if tried <= MANY_TRIED else 1
    try:
        found = cross_validated_optimism(
            units,
            selection.choose,
            selection.score,
            seed=SEED,
            repetitions=repetitions,
            workers=e.workers,
        )
    except (SelectionError, StudyError) as error:
        return not_run(f"the choice cannot be repeated on nine tenths of the groups: {error}", "record more questions")
    price = selection.price
    name = e.roles.quality if not price else f"{e.roles.quality} - {price:g} x cost"
    cause = (
        f"{name} is {e.worth(found.selection)} on the selection split, {e.worth(found.held_out)} by cross-validated "
        f"choice, {e.worth(found.optimism)} less; {_steadiness(e.rule, [each.rule for each in found.choices])}"
    )
    verdict, why = _judged(e, policy, found.selection, found.held_out)
    remedy = "quote the cross-validated or the final figure, never the selection figure"
    return Answer(verdict, found.optimism, what, cause + why, "nothing to do" if verdict == "pass" else remedy)


def _judged(e: Evidence, policy: Policy, selection: float, held_out: float) -> tuple[Verdict, str]:
    """What is left of what the rule was chosen for."""
    if isinstance(policy, Retain):
        least = policy.share * (_reference(policy, e.selection) or 0.0)
        if held_out < least:
            return "note", f"; {e.worth(least)} was asked for"
    if isinstance(policy, Budget | Utility):
        price = policy.price if isinstance(policy, Utility) else 0.0
        depth = figures_of([e.comparator], e.selection).row(0, named=True)
        gain = selection - (depth["quality"] - price * depth["cost"])
        against = f"of its gain of {e.worth(gain)} over {label(e.comparator)}"
        if gain > 0 and selection - held_out >= gain:
            return "warn", f"; nothing is left {against}"
        if gain > 0 and selection - held_out >= gain / 2:
            return "note", f"; less than half is left {against}"
    return "pass", ""


def _reference(policy: Policy, t: Trajectories) -> float | None:
    """The quality that a share is to be kept of."""
    return float(figures_of([parse(policy.of)], t)["quality"][0]) if isinstance(policy, Retain) else None


def _of_guarantee(e: Evidence) -> Answer:
    """Under a guarantee the groups that only tested show it without a repetition."""
    chose = e.lock.content["selection_figures"]
    tested, entry = chose["certifying"], e.lock.content["guarantee"]
    return Answer(
        "pass",
        chose["quality"] - tested["quality"],
        "quality on the groups that chose less that on the groups that only tested",
        f"{e.roles.quality} is {e.worth(chose['quality'])} on the {entry['choosing_groups']} groups that chose and "
        f"{e.worth(tested['quality'])} on the {entry['certifying_groups']} that only tested; {entry['claim']}",
    )


def _again(calibrator: Calibrator, part: Trajectories) -> Calibrator:
    """A calibrator fitted on a part."""
    return fit(
        part,
        name=calibrator.name,
        signal=calibrator.signal,
        target=calibrator.target,
        method=calibrator.method,
        by=calibrator.by,
        missing=calibrator.missing,
        borrow=dict(calibrator.borrow),
    )


def _steadiness(rule: Rule, chosen: Sequence[Rule]) -> str:
    """How often the rule, or its shape with other cuts, was chosen again."""
    same = sum(each == rule for each in chosen)
    alike = [each for each in chosen if _shape(each) == _shape(rule)]
    said = f"{same} of {len(chosen)} folds choose the same rule, {len(alike)} its shape"
    by_place = list(zip(*(_cuts(each) for each in alike), strict=True))
    ranges = [f"{min(cuts):.4g} to {max(cuts):.4g}" for cuts in by_place if min(cuts) < max(cuts)]
    return said + (f" with cuts from {' and from '.join(ranges)}" if ranges else "")


def _shape(rule: Rule) -> Counter[str]:
    """The atoms of a rule without their cuts."""
    return Counter(f"{a.term} {a.op}" if isinstance(a, Compare) else str(a) for a in atoms_of(rule))


def _cuts(rule: Rule) -> list[float]:
    """The cuts of a rule, in the order of its atoms' names."""
    found = [a for a in atoms_of(rule) if isinstance(a, Compare) and isinstance(a.cut, float)]
    return [float(a.cut) for a in sorted(found, key=lambda a: f"{a.term} {a.op}")]  # type: ignore[arg-type]
