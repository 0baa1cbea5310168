"""One rule on the final split: its figures by cell and macro, against baselines, with paired intervals."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..rules.expression import Rule
from ..rules.named import fixed
from ..trajectories.errors import SplitError
from ..trajectories.table import Floats, Ints, Trajectories
from .baselines import Stops, adaptive, depth, first_right, label, oracle, stops
from .bootstrap import ROUNDING, PairedBootstrap, Strata, paired_bootstrap, strata
from .breakdown import breakdown
from .depths import depth_columns, depth_name, depths, time_sharing
from .difference_tests import DifferenceTest, adjusted, difference_test
from .early import early_stops
from .intervals import Method
from .outcomes import outcome_columns, outcome_figures
from .results import Comparison, Contender, Evaluation, Performance, Scope
from .verdict import in_percent, verdicts


def evaluate(
    t: Trajectories,
    rule: Rule,
    *,
    baselines: Sequence[Rule] | None = None,
    comparator: Rule | None = None,
    contenders: Sequence[Rule] = (),
    draws: int = 10_000,
    seed: int = 42,
    interval: Method = "percentile",
) -> Evaluation:
    """Report a rule on a table: quality, cost, calls, retention and cost ratio, per cell and macro.

    Parameters
    ----------
    t : Trajectories
        The final split, with the calibrated signals that the rule reads.
    rule : Rule
        The locked rule.
    baselines : sequence of Rule, optional
        fixed(1) and fixed(R) when not given. The comparator and the oracles are always added.
    comparator : Rule, optional
        The fixed(k) that the rule's own policy chose where the rule was chosen: the planned comparison.
    contenders : sequence of Rule
        Other rules of the selection front, compared on macro quality with the baselines. Their intervals are
        not corrected for their number: that none lies above 0 stands, that one does proves little.
    draws, seed, interval
        As `paired_bootstrap`.

    Returns
    -------
    Evaluation
        A cell's intervals come from its own groups, as if it were evaluated alone; macro intervals resample a
        group together in all its cells.

    Raises
    ------
    SplitError
        When the table is empty.
    RuleError
        When a rule reads what the table does not have.
    StudyError
        For draws or an interval that are not offered.
    """
    if not len(t):
        raise SplitError("the final split has no trajectory: there is nothing to evaluate a rule on")
    declared = list(dict.fromkeys([fixed(1), fixed(t.rounds)] if baselines is None else baselines))
    against = list(dict.fromkeys([*declared, *([] if comparator is None else [comparator])]))
    locked = stops(rule, t)
    others = [*(stops(one, t) for one in against), *filter(None, (oracle(t), first_right(t)))]
    rivals = {one: stops(one, t) for one in dict.fromkeys(contenders) if one != rule}
    resampling = Resampling(draws, seed, interval)

    columns = {
        **_columns([locked, *others, *rivals.values()]),
        **outcome_columns(t, [locked, *others]),
        **depth_columns(t),
    }
    together = resampling.of(t, columns)
    family = {label(one) for one in declared} | {depth_name(k) for k in range(1, t.rounds + 1)}
    family -= {label(one) for one in against if one not in declared}
    names = dict.fromkeys([*(one.name for one in others), *(depth_name(k) for k in range(1, t.rounds + 1))])
    tests = adjusted({name: resampling.test(together, locked.name, name) for name in names}, family)

    cells = {}
    for i, name in enumerate(t.named_cells):
        rows = t.cell_index == i
        own = [one.take(rows) for one in (locked, *others)]
        alone = resampling.of(t.take(rows), _columns(own))
        alone_tests = {one.name: resampling.test(alone, locked.name, one.name) for one in own[1:]}
        cells[name] = _scope(t.take(rows), own[0], own[1:], alone, alone_tests)

    ks = [k for k in map(depth, against) if k is not None]
    planned = None if comparator is None else depth(comparator)
    result = Evaluation(
        rule=str(rule),
        id=rule.id,
        adaptive=adaptive(rule),
        quality_name=t.roles.quality,
        cost_name=t.roles.cost_name,
        percent=in_percent(t),
        reference=f"fixed({max(ks)})" if ks else None,
        macro=_scope(t, locked, others, together, tests),
        cells=cells,
        comparator=None if comparator is None else label(comparator),
        contenders=tuple(_contender(one, its.name, others, together) for one, its in rivals.items()),
        outcomes=outcome_figures(t.roles.outcomes, locked.name, [one.name for one in others], together),
        depths=depths(locked, t.rounds, together, tests, planned),
        time_sharing=time_sharing(locked, t.rounds, together),
        levels=breakdown(t, locked, others, lambda part, stops: resampling.of(part, _columns(stops))),
        draws=draws,
        seed=seed,
        interval=interval,
        notes=_notes(t, locked, together.strata),
    )
    return replace(result, verdicts=verdicts(result))


@dataclass(frozen=True)
class Resampling:
    """The settings that every interval and test of an evaluation shares."""

    draws: int
    seed: int
    interval: Method

    def of(self, t: Trajectories, columns: Mapping[Hashable, Floats | Ints]) -> PairedBootstrap:
        """Columns of a table, resampled together."""
        units = strata(t.cell, t.group)
        return paired_bootstrap(units, columns, draws=self.draws, seed=self.seed, interval=self.interval)

    def test(self, bootstrap: PairedBootstrap, name: str, other: str) -> DifferenceTest:
        """The sign-flip test of two rules' quality."""
        mine, its = (bootstrap.contributions[bootstrap.names[one, "quality"]] for one in (name, other))
        return difference_test(mine, its, draws=self.draws, seed=self.seed)


def _columns(everyone: Sequence[Stops]) -> dict[Hashable, Floats | Ints]:
    return {
        (one.name, what): column
        for one in everyone
        for what, column in (("quality", one.quality), ("cost", one.cost), ("calls", one.stop_round))
    }


def _scope(
    t: Trajectories,
    rule: Stops,
    others: Sequence[Stops],
    bootstrap: PairedBootstrap,
    tests: Mapping[str, DifferenceTest],
) -> Scope:
    last = max(int(one.stop_round.max()) for one in (rule, *others))
    return Scope(
        n=len(rule.stop_round),
        groups=len(bootstrap.strata.groups),
        rule=_performance(rule, bootstrap, last),
        baselines={one.name: _performance(one, bootstrap, last) for one in others},
        comparisons={one.name: _comparison(t, rule, one, bootstrap, tests[one.name]) for one in others},
        early=early_stops(t, rule),
    )


def _performance(one: Stops, bootstrap: PairedBootstrap, last: int) -> Performance:
    fired = int(one.fired.sum())
    counts = np.bincount(one.stop_round, minlength=last + 1).tolist()
    return Performance(
        name=one.name,
        deployable=one.deployable,
        quality=bootstrap.mean((one.name, "quality")),
        cost=bootstrap.mean((one.name, "cost")),
        calls=bootstrap.mean((one.name, "calls")),
        fired=fired,
        exhausted=len(one.fired) - fired,
        stop_rounds=dict(enumerate(counts[1:], start=1)),
    )


def _comparison(
    t: Trajectories, rule: Stops, other: Stops, bootstrap: PairedBootstrap, test: DifferenceTest
) -> Comparison:
    won = _by_question(t, rule.quality - other.quality)

    def pair(what: str) -> tuple[Hashable, Hashable]:
        return (rule.name, what), (other.name, what)

    return Comparison(
        baseline=other.name,
        deployable=other.deployable,
        quality_difference=bootstrap.difference(*pair("quality")),
        cost_difference=bootstrap.difference(*pair("cost")),
        calls_difference=bootstrap.difference(*pair("calls")),
        retention=bootstrap.ratio(*pair("quality"), of=f"the quality of {other.name}"),
        cost_ratio=bootstrap.ratio(*pair("cost"), of=f"the cost of {other.name}"),
        test=test,
        wins=int((won > 0).sum()),
        ties=int((won == 0).sum()),
        losses=int((won < 0).sum()),
        alike=int((rule.stop_round == other.stop_round).sum()),
    )


def _by_question(t: Trajectories, difference: Floats) -> Floats:
    """The sum over each question's cells, what is rounding of nothing as 0."""
    _, question = np.unique(t.question.astype(str), return_inverse=True)
    total = np.bincount(question, weights=difference).astype(np.float64)
    total[np.abs(total) <= ROUNDING * np.bincount(question, weights=np.abs(difference))] = 0.0
    return total


def _contender(rule: Rule, name: str, others: Sequence[Stops], bootstrap: PairedBootstrap) -> Contender:
    return Contender(
        rule=str(rule),
        id=rule.id,
        adaptive=adaptive(rule),
        quality=bootstrap.mean((name, "quality")),
        cost=bootstrap.mean((name, "cost")),
        calls=bootstrap.mean((name, "calls")),
        differences={one.name: bootstrap.difference((name, "quality"), (one.name, "quality")) for one in others},
    )


def _notes(t: Trajectories, rule: Stops, units: Strata) -> tuple[str, ...]:
    sizes = np.bincount(units.pair)
    if sizes.min() == sizes.max():
        return ()
    by_question = strata(t.cell, t.question)
    return (
        f"groups hold {sizes.min()} to {sizes.max()} questions a cell and weigh equally; if questions did, "
        f"quality would be {by_question.macro_mean(rule.quality):.6g} and cost "
        f"{by_question.macro_mean(rule.cost):.6g}",
    )
