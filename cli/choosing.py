"""From a study and its selection rows to one rule: search, front, policy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import polars as pl

from ..analysis.baselines import depth, label
from ..analysis.certificate import Certificate, certified
from ..analysis.front import front_mask
from ..analysis.guarantee import Guarantee, Trial, parts, sequence
from ..analysis.selection import POLICIES, Policy, select
from ..enumerate.ledger import ledger
from ..enumerate.replay import replayed
from ..enumerate.search import Progress, SearchResult, search_result
from ..enumerate.space import space
from ..rules.arrays import check
from ..rules.expression import Rule
from ..rules.named import fixed
from ..rules.text import parse
from ..trajectories.errors import SelectionError
from ..trajectories.table import Trajectories

if TYPE_CHECKING:
    from .study import Select, Study


class How(TypedDict, total=False):
    """Who works a search out, and where it keeps how far it has come: see `search_result`."""

    jobs: int
    backend: str
    address: str | None
    progress: Progress | None
    checkpoint: Path | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Choice:
    """What a policy chose.

    Attributes
    ----------
    table : Trajectories
        The rows on which rules were compared: the selection split, or under `Guarantee` its choosing part.
    result : SearchResult
    chosen : mapping
        The row of the rule, as the candidates have it.
    certificate : Certificate or None
    reference : float or None
        Quality of the policy's ``of`` on the table.
    """

    table: Trajectories
    result: SearchResult
    chosen: dict[str, Any]
    certificate: Certificate | None
    reference: float | None


def policy_of(select: Select) -> Policy | Guarantee:
    """The selection policy that a study names."""
    keys = select.model_dump(exclude_none=True, exclude={"policy"})
    return Guarantee(**keys) if select.policy == Guarantee.name else POLICIES[select.policy](**keys)


def choose(study: Study, selection: Trajectories, **how: Unpack[How]) -> Choice:
    """Search a study's space on some rows and choose by its policy.

    Parameters
    ----------
    how
        Who works it out, as `enumerate.search.search_result` takes it; no byte depends on it.

    Raises
    ------
    StopruleError
        When the space is empty, the policy allows no rule, or a guarantee lacks what its test needs.
    """
    policy = policy_of(study.select)
    entries = [each.model_dump() for each in study.search]
    if isinstance(policy, Guarantee):
        return _guaranteed(policy, entries, selection, how)
    reference = None
    if study.select.of is not None:
        of = parse(study.select.of)
        check(of, selection)
        reference = float(figures_frame([of], selection)["quality"][0])
    result = search_result(space(entries, selection), selection, **how)
    chosen = select(result.frame, policy, reference=reference)
    return Choice(table=selection, result=result, chosen=chosen, certificate=None, reference=reference)


def fixed_depth(selection: Trajectories, policy: Policy | Guarantee, reference: float | None) -> Rule | None:
    """The fixed depth that the same policy chooses on the same rows; None when it allows none."""
    depths = [fixed(k) for k in range(1, selection.rounds + 1)]
    if isinstance(policy, Guarantee):
        trial = Trial(policy, parts(selection))
        frame = figures_frame(depths, trial.parts.choosing)
        passed = trial.passed(trial.run(sequence(frame.with_columns(pl.Series("on_front", front_mask(frame))))))
        return passed[-1] if passed else trial.of if depth(trial.of) is not None else None
    try:
        return parse(select(figures_frame(depths, selection), policy, reference=reference)["rule"])
    except SelectionError:
        return None


def figures_frame(rules: list[Rule], t: Trajectories) -> pl.DataFrame:
    """The macro figures of some rules, as the candidates have them."""
    figures = replayed(rules, t, ledger(t))
    return pl.DataFrame(
        {
            "rule": [str(rule) for rule in rules],
            "name": [label(rule) for rule in rules],
            "quality": figures.quality,
            "cost": figures.cost,
            "calls": figures.calls,
        }
    )


def _guaranteed(policy: Guarantee, entries: list[dict[str, Any]], selection: Trajectories, how: How) -> Choice:
    halves = parts(selection)
    trial = Trial(policy, halves)
    # the reference is a candidate too: its row stands ready where no rule passes
    result = search_result(space([*entries, {"rule": policy.of}], halves.choosing), halves.choosing, **how)
    certificate = certified(trial, sequence(result.frame))
    return Choice(
        table=halves.choosing,
        result=result,
        chosen=_row(result.frame, certificate.rule),
        certificate=certificate,
        reference=None,
    )


def _row(frame: pl.DataFrame, rule: Rule) -> dict[str, Any]:
    """A candidate's row; under its own name, where it is listed as the equivalent of another."""
    text = str(rule)
    row = frame.filter((pl.col("rule") == text) | pl.col("equivalents").list.contains(text)).row(0, named=True)
    alike = sorted({row["rule"], *row["equivalents"]} - {text})
    return {**row, "rule": text, "id": rule.id, "equivalents": alike}
