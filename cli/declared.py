"""What the lock declared beside the rule, worked through within the look."""

from __future__ import annotations

from typing import Any

from ..analysis.baselines import depth, label, stops
from ..analysis.costs import CostFigures, CostModel, cost_figures
from ..analysis.learned import Learned
from ..analysis.lock import DECLARED
from ..analysis.noninferiority import non_inferiority
from ..analysis.simplicity import refit, simplicity
from ..analysis.transfer import transfer
from ..analysis.wording import Wording
from ..rules.expression import Rule
from ..rules.lockfile import Lock
from ..rules.named import fixed
from ..rules.text import parse
from ..trajectories.table import Trajectories
from .preparing import Prepared
from .progress import progress

OTHER_LIBRARIES = "the learned stopper of the lock does not come out of its selection rows here: other libraries"


def learned_of(lock: Lock, prepared: Prepared) -> Learned | None:
    """The learned stopper that the lock names, fitted before the final split is opened."""
    if lock.content["learned"] is None:
        return None
    with progress("fitting the learned stopper"):
        return refit(prepared.open("selection", lock.calibrators), lock.content["learned"])


def declared_parts(
    lock: Lock, final: Trajectories, learned: Learned | None, words: Wording
) -> tuple[dict[str, Any], list[str]]:
    """What the lock declared before the look, null where it declared nothing, and what that says in words.

    Parameters
    ----------
    lock : Lock
    final : Trajectories
        With the calibrated signals.
    learned : Learned or None
        As `learned_of` gave it.
    words : Wording
    """
    parts: dict[str, Any] = dict.fromkeys(DECLARED)
    sentences = []
    if lock.content["non_inferiority"] is not None:
        within = non_inferiority(final, lock.rule, lock.content["non_inferiority"])
        parts["non_inferiority"] = within.to_dict()
        sentences.append(within.sentence(words))
    if lock.content["transfer"] is not None:
        carried = transfer(
            final, lock.rule, lock.content["transfer"], reference=reference_of(lock, final), **resampling_of(lock)
        )
        parts["transfer"] = carried.to_dict()
        sentences.append(carried.sentence(words))
    if lock.content["learned"] is not None:
        if learned is None:
            parts["learned"] = {"reason": OTHER_LIBRARIES}
            sentences.append(OTHER_LIBRARIES)
        else:
            chosen = lock.content["learned"]["chosen"]
            compared = simplicity(final, lock.rule, learned, chosen=chosen, **resampling_of(lock))
            parts["learned"] = compared.to_dict()
            sentences.append(compared.sentence(words))
    if lock.content["costs"] is not None:
        derived = _cost_figures(lock, final)
        parts["costs"] = {one.name: one.to_dict() for one in derived}
        sentences += [one.sentence(label(reference_of(lock, final))) for one in derived]
    return parts, sentences


def _cost_figures(lock: Lock, final: Trajectories) -> tuple[CostFigures, ...]:
    """What the lock's cost model derives for the rule, the declared baselines and the comparator."""
    named = [*lock.content["baselines"], lock.content["comparator"], str(reference_of(lock, final))]
    rules = [lock.rule, *dict.fromkeys(parse(text) for text in named if text is not None)]
    pairs = [(rule, stops(rule, final)) for rule in rules]
    return cost_figures(
        final,
        CostModel.from_dict(lock.content["costs"]),
        pairs[0],
        pairs[1:],
        calibrated={each.name: each.signal for each in lock.calibrators},
        **resampling_of(lock),
    )


def resampling_of(lock: Lock) -> dict[str, Any]:
    """The settings of every interval."""
    return {key: lock.content["evaluate"][key] for key in ("draws", "seed", "interval")}


def reference_of(lock: Lock, final: Trajectories) -> Rule:
    """To which retention refers: the longest declared fixed(k)."""
    depths = [k for k in (depth(parse(text)) for text in lock.content["baselines"]) if k is not None]
    return fixed(max(depths, default=final.rounds))
