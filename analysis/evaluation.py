"""One rule on the final split: its figures by cell and macro, against baselines, with paired intervals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ..rules.expression import Rule
from ..rules.named import fixed
from ..trajectories.errors import SplitError
from ..trajectories.table import Floats, Ints, Trajectories
from .baselines import Stops, adaptive, depth, oracle, stops
from .bootstrap import PairedBootstrap, Strata, paired_bootstrap, strata
from .intervals import Method
from .results import Comparison, Contender, Evaluation, Performance, Scope
from .verdict import in_percent, verdicts


def evaluate(
    t: Trajectories,
    rule: Rule,
    *,
    baselines: Sequence[Rule] | None = None,
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
        fixed(1) and fixed(R) when not given. The oracle is always added.
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
    against = list(dict.fromkeys([fixed(1), fixed(t.rounds)] if baselines is None else baselines))
    locked = stops(rule, t)
    others = [*(stops(one, t) for one in against), oracle(t)]
    rivals = {one: stops(one, t) for one in dict.fromkeys(contenders) if one != rule}

    resampled = partial(paired_bootstrap, draws=draws, seed=seed, interval=interval)
    units = strata(t.cell, t.group)
    together = resampled(units, _columns([locked, *others, *rivals.values()]))
    cells = {}
    for i, name in enumerate(t.cell_names if t.roles.cell is not None else ()):
        rows = t.cell_index == i
        own = [one.take(rows) for one in (locked, *others)]
        alone = resampled(strata(t.cell[rows], t.group[rows]), _columns(own))
        cells[name] = _scope(own[0], own[1:], alone)

    depths = [k for k in map(depth, against) if k is not None]
    result = Evaluation(
        rule=str(rule),
        id=rule.id,
        adaptive=adaptive(rule),
        quality_name=t.roles.quality,
        cost_name=t.roles.cost or "calls",
        percent=in_percent(t),
        reference=f"fixed({max(depths)})" if depths else None,
        macro=_scope(locked, others, together),
        cells=cells,
        contenders=tuple(_contender(one, its.name, others, together) for one, its in rivals.items()),
        draws=draws,
        seed=seed,
        interval=interval,
        notes=_notes(t, locked, units),
    )
    return replace(result, verdicts=verdicts(result))


def _columns(everyone: Sequence[Stops]) -> dict[Hashable, Floats | Ints]:
    return {
        (one.name, what): column
        for one in everyone
        for what, column in (("quality", one.quality), ("cost", one.cost), ("calls", one.stop_round))
    }


def _scope(rule: Stops, others: Sequence[Stops], bootstrap: PairedBootstrap) -> Scope:
    last = max(int(one.stop_round.max()) for one in (rule, *others))
    return Scope(
        n=len(rule.stop_round),
        groups=len(bootstrap.strata.groups),
        rule=_performance(rule, bootstrap, last),
        baselines={one.name: _performance(one, bootstrap, last) for one in others},
        comparisons={one.name: _comparison(rule, one, bootstrap) for one in others},
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


def _comparison(rule: Stops, other: Stops, bootstrap: PairedBootstrap) -> Comparison:
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
        wins=int((rule.quality > other.quality).sum()),
        ties=int((rule.quality == other.quality).sum()),
        losses=int((rule.quality < other.quality).sum()),
        alike=int((rule.stop_round == other.stop_round).sum()),
    )


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
