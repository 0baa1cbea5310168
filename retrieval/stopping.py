"""What an iteration decides, and why a run ended that decided nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .errors import RetrievalError
from .signals import signals
from .state import State, StopReason

if TYPE_CHECKING:
    from ..rules.stopper import Stopper

Decide = Callable[[State], StopReason | None]


def decision(policy: str, stopper: Stopper | None) -> Decide:
    """What an iteration decides; only `adaptive` ever stops by itself."""
    if policy != "adaptive":
        if stopper is not None:
            raise RetrievalError(f"policy {policy!r} decides nothing; give a stopper to 'adaptive'")
        return lambda _: None
    if stopper is None:
        return lambda state: _adaptive(state, state.sufficient)
    stopper.reset()
    return lambda state: _adaptive(state, _observed(stopper, state))


def _adaptive(state: State, sufficient: bool) -> StopReason | None:
    if state.failed:
        return None  # nothing was seen to judge
    if sufficient:
        return StopReason.PROXY_SUFFICIENT
    if len(state.actions) > 1 and not state.found_new:
        return StopReason.NO_NEW_EVIDENCE
    return None


def _observed(stopper: Stopper, state: State) -> bool:
    seen = signals(state)
    return stopper.observe(**{name: seen[name] for name in stopper.reads & seen.keys()}).stop


def ending(state: State) -> StopReason:
    """Why a run ended that neither decided to stop nor was interrupted."""
    if state.failed:
        return StopReason.TOOL_FAILED
    if state.actions and not state.found_new:
        return StopReason.NO_NEW_EVIDENCE
    return StopReason.RESOURCE_BUDGET_EXHAUSTED
