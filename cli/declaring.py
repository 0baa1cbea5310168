"""What `search` fixes about the evaluation, beside the rule, before anybody has seen the final split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..analysis.baselines import depth
from ..analysis.learned import learn
from ..analysis.noninferiority import declare
from ..analysis.simplicity import Frozen
from ..analysis.transfer import own_rules
from ..rules.arrays import check
from ..rules.expression import Rule
from ..rules.named import fixed
from ..rules.text import parse
from ..trajectories.errors import StudyError
from ..trajectories.nearest import listing, nearest
from ..trajectories.table import Trajectories
from .choosing import choose
from .progress import progress
from .study import Study


def declarations(
    study: Study,
    selection: Trajectories,
    rule: Rule,
    *,
    baselines: Sequence[Rule],
    cost: float,
    jobs: int,
) -> dict[str, Any]:
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
    cost : float
        What the chosen rule costs there.
    jobs : int
        Workers of the searches by cell.
    """
    return {
        "non_inferiority": _non_inferiority(study, selection, rule, baselines),
        "transfer": _transfer(study, selection, jobs),
        "learned": _learned(study, selection, cost),
        "costs": _costs(study, selection),
    }


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


def _transfer(study: Study, selection: Trajectories, jobs: int) -> dict[str, Any] | None:
    if not study.evaluate.transfer or len(selection.cell_names) == 1:
        return None

    def rule_of(t: Trajectories) -> Rule:
        return parse(choose(study, t, jobs=jobs).chosen["rule"])

    with progress("choosing a rule in each cell"):
        return own_rules(selection, rule_of).to_dict()


def _learned(study: Study, selection: Trajectories, cost: float) -> dict[str, Any] | None:
    if not study.evaluate.learned:
        return None
    # a calibrator that was fitted on the selection rows has seen every fold
    seen = set() if study.fits_on_calibration else set(study.calibrate)
    with progress("fitting the learned stopper"):
        return Frozen.of(learn(selection, sorted(set(selection.signals) - seen)), cost).to_dict()


def _costs(study: Study, selection: Trajectories) -> dict[str, Any] | None:
    if study.costs is None:
        return None
    model = study.costs.model
    for extra in model.extra:
        for name in extra.signals:
            if name not in selection.signals:
                raise StudyError(
                    f'costs.extra "{extra.name}": no signal "{name}"{nearest(name, selection.signals)}; '
                    f"signals: {listing(sorted(selection.signals))}"
                )
    return model.to_dict()
