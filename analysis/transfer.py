"""Does a rule carry over? The rule that each cell would have locked, used in every other cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rules.expression import Rule
from ..rules.text import parse
from ..trajectories.errors import SearchError, SelectionError
from ..trajectories.table import Floats, Trajectories
from .baselines import Stops, label, stops
from .bootstrap import PairedBootstrap, paired_bootstrap, strata
from .intervals import Estimate, Method
from .wording import Wording

EVERY_CELL = "all cells"


@dataclass(frozen=True, kw_only=True)
class OwnRules:
    """The rule that the study's policy chooses on each cell's own selection rows.

    Attributes
    ----------
    rules : cell -> rule's text
    reasons : cell -> str
        Why a cell has none.
    """

    rules: Mapping[str, str]
    reasons: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """The entry of the lock."""
        return {"rules": dict(self.rules), "reasons": dict(self.reasons)}


def own_rules(selection: Trajectories, choose: Callable[[Trajectories], Rule]) -> OwnRules:
    """Choose a rule in every cell alone.

    Parameters
    ----------
    selection : Trajectories
    choose : callable
        Searches and selects on the rows it is given; a SelectionError or SearchError is the reason why it finds none.
    """
    rules, reasons = {}, {}
    for i, name in enumerate(selection.cell_names):
        try:
            rules[name] = str(choose(selection.take(selection.cell_index == i)))
        except (SelectionError, SearchError) as error:
            reasons[name] = str(error)
    return OwnRules(rules=rules, reasons=reasons)


@dataclass(frozen=True, kw_only=True)
class Carried:
    """One rule in one cell of the final split.

    Attributes
    ----------
    locked_in : str
        The cell whose selection rows chose the rule; "all cells" for the locked rule itself.
    evaluated_in : str
    rule : str
    retention : Estimate
        Quality over that of the reference there.
    quality, cost : Estimate
    quality_regret, cost_regret : Estimate or None
        Quality of the rule that this cell would have chosen itself minus that of this one; cost of this one minus
        that of the cell's own. Positive is worse. None where the cell has no rule of its own.
    """

    locked_in: str
    evaluated_in: str
    rule: str
    retention: Estimate
    quality: Estimate
    cost: Estimate
    quality_regret: Estimate | None
    cost_regret: Estimate | None

    def to_dict(self) -> dict[str, Any]:
        """The entry of the matrix for JSON."""
        return {
            "locked_in": self.locked_in,
            "evaluated_in": self.evaluated_in,
            "rule": self.rule,
            "retention": self.retention.to_dict(),
            "quality": self.quality.to_dict(),
            "cost": self.cost.to_dict(),
            "quality_regret": None if self.quality_regret is None else self.quality_regret.to_dict(),
            "cost_regret": None if self.cost_regret is None else self.cost_regret.to_dict(),
        }


@dataclass(frozen=True, kw_only=True)
class Transfer:
    """Every cell's rule in every cell.

    Attributes
    ----------
    reference : str
        To which retention refers.
    reasons : cell -> str
        Why a cell has no rule of its own.
    entries : tuple of Carried
        Row after row: the locked rule first, then by the cell it was chosen in.
    """

    reference: str
    reasons: Mapping[str, str]
    entries: tuple[Carried, ...]

    def to_dict(self) -> dict[str, Any]:
        """The matrix for evaluation.json."""
        return {
            "reference": self.reference,
            "reasons": dict(self.reasons),
            "entries": [one.to_dict() for one in self.entries],
        }

    def sentence(self, words: Wording) -> str:
        """The range of retention in foreign cells, and the worst regret."""
        foreign = [one for one in self.entries if one.locked_in not in (EVERY_CELL, one.evaluated_in)]
        regretted = [(one, one.quality_regret) for one in foreign if one.quality_regret is not None]
        if not regretted:
            return "no cell has a rule of its own to carry to another"
        kept = [one.retention.value for one in foreign if math.isfinite(one.retention.value)]
        worst, regret = max(regretted, key=lambda pair: pair[1].value)
        spread = (
            f"keep {100 * min(kept):.0f}% to {100 * max(kept):.0f}% of the {words.quality} of {self.reference} there; "
            if kept
            else ""
        )
        return (
            f"rules chosen in one cell and used in another {spread}the largest regret against the rule of the cell's "
            f"own is {words.difference(regret)} (`{worst.rule}`, chosen in {worst.locked_in}, used in "
            f"{worst.evaluated_in})"
        )


def transfer(
    final: Trajectories,
    rule: Rule,
    entry: Mapping[str, Any],
    *,
    reference: Rule,
    draws: int,
    seed: int,
    interval: Method,
) -> Transfer:
    """Evaluate the cells' own rules, and the locked one, in every cell of the final split.

    Parameters
    ----------
    final : Trajectories
        With the calibrated signals; each cell keeps its own calibrator.
    rule : Rule
        The locked one.
    entry : mapping
        ``transfer`` of the lock.
    reference : Rule
        To which retention refers, the longest fixed(k) as a rule.
    draws, seed, interval
        As `paired_bootstrap`; every cell is resampled by its own groups.
    """
    chosen = {EVERY_CELL: rule, **{name: parse(text) for name, text in entry["rules"].items()}}
    by_rule = {one: stops(one, final) for one in dict.fromkeys([*chosen.values(), reference])}
    resampled = {}
    for i, name in enumerate(final.cell_names):
        rows = np.asarray(final.cell_index == i, dtype=np.bool_)
        columns = _columns([each.take(rows) for each in by_rule.values()])
        units = strata(final.cell[rows], final.group[rows])
        resampled[name] = paired_bootstrap(units, columns, draws=draws, seed=seed, interval=interval)
    return Transfer(
        reference=label(reference),
        reasons=entry["reasons"],
        entries=tuple(
            _carried(
                (locked_in, cell),
                by_rule[one],
                own=by_rule[chosen[cell]] if cell in chosen else None,
                reference=by_rule[reference],
                drawn=drawn,
            )
            for locked_in, one in chosen.items()
            for cell, drawn in resampled.items()
        ),
    )


def _columns(everyone: Sequence[Stops]) -> dict[Any, Floats]:
    return {(one.name, what): getattr(one, what) for one in everyone for what in ("quality", "cost")}


def _carried(
    cells: tuple[str, str], carried: Stops, *, own: Stops | None, reference: Stops, drawn: PairedBootstrap
) -> Carried:
    name, (locked_in, cell) = carried.name, cells
    return Carried(
        locked_in=locked_in,
        evaluated_in=cell,
        rule=name,
        retention=drawn.ratio(
            (name, "quality"), (reference.name, "quality"), of=f"the quality of {reference.name} in {cell}"
        ),
        quality=drawn.mean((name, "quality")),
        cost=drawn.mean((name, "cost")),
        quality_regret=None if own is None else drawn.difference((own.name, "quality"), (name, "quality")),
        cost_regret=None if own is None else drawn.difference((name, "cost"), (own.name, "cost")),
    )
