"""The public projection of a result: what may be shown, asked of the view at the moment of showing."""

from __future__ import annotations

from dataclasses import dataclass

from .assess import PROXY, assess
from .controller import Result
from .packet import Packet
from .units import View, eligible


@dataclass(frozen=True, slots=True)
class Exposure:
    """What a caller is shown. Scores, rankings and counts of rows stay inside: they depend on what is hidden.

    Attributes
    ----------
    id, policy, stop, why : str
        The request's identity, the policy, why execution ended and what that means.
    packet : Packet
    coverage, matched, missing
        The proxy, of the units that may still be shown.
    calls : int
    """

    id: str
    policy: str
    stop: str
    why: str
    packet: Packet
    coverage: float | None
    matched: tuple[str, ...]
    missing: tuple[str, ...]
    calls: int

    def to_json(self) -> dict[str, object]:
        """The same, of JSON types, the proxy under its name."""
        return {
            "id": self.id,
            "policy": self.policy,
            "stop": self.stop,
            "why": self.why,
            "packet": [
                {"unit": unit.id, "revision": unit.revision, "title": unit.title, "text": unit.text}
                for unit in self.packet.units
            ],
            "proxy": {
                "name": PROXY,
                "value": self.coverage,
                "matched": list(self.matched),
                "missing": list(self.missing),
            },
            "calls": self.calls,
        }


def project(result: Result, view: View | None = None) -> Exposure:
    """Recheck every unit against the view and assess again what is left: a unit withdrawn meanwhile is gone.

    Parameters
    ----------
    view : View or None
        The view to recheck against; the request's own by default.
    """
    state = result.final
    view = state.request.view if view is None else view
    shown = [seen for seen in state.observations if eligible(seen.reference, view)]
    judgement = assess(state.features, shown, state.budget, state.threshold)
    return Exposure(
        id=state.request.id,
        policy=result.policy,
        stop=str(result.stop),
        why=result.stop.why,
        packet=result.packet.rechecked(view),
        coverage=judgement.coverage,
        matched=judgement.matched,
        missing=judgement.missing,
        calls=state.spent.calls,
    )
