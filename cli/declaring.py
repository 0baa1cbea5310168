"""What `search` fixes about the evaluation, beside the rule, before anybody has seen the final split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..analysis.baselines import depth
from ..analysis.noninferiority import declare
from ..rules.arrays import check
from ..rules.expression import Rule
from ..rules.named import fixed
from ..rules.text import parse
from ..trajectories.table import Trajectories
from .study import Study


def declarations(study: Study, selection: Trajectories, rule: Rule, baselines: Sequence[Rule]) -> dict[str, Any]:
    """The entries of the lock that `evaluate` works through; null where the study does not ask.

    Parameters
    ----------
    study : Study
    selection : Trajectories
        With the calibrated signals: the rows that the rule was chosen on.
    rule : Rule
        The chosen one.
    baselines : sequence of Rule
        The declared ones.
    """
    return {"non_inferiority": _non_inferiority(study, selection, rule, baselines)}


def reference_rule(study: Study, selection: Trajectories, baselines: Sequence[Rule]) -> Rule:
    """What a margin refers to: evaluate.of, else select.of, else the longest declared fixed(k)."""
    named = study.evaluate.of if study.evaluate.of is not None else study.select.of
    if named is not None:
        rule = parse(named)
        check(rule, selection)
        return rule
    depths = [k for k in map(depth, baselines) if k is not None]
    return fixed(max(depths, default=selection.rounds))


def _non_inferiority(
    study: Study, selection: Trajectories, rule: Rule, baselines: Sequence[Rule]
) -> dict[str, Any] | None:
    if study.evaluate.margin is None:
        return None
    of = reference_rule(study, selection, baselines)
    return declare(selection, rule, of=of, margin=study.evaluate.margin, alpha=study.evaluate.alpha).to_dict()
