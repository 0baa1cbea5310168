"""The trace of a run, for who operates it: ids, figures and decisions, and no passage."""

from __future__ import annotations

import json
from dataclasses import asdict

from .controller import Result


def trace(result: Result) -> dict[str, object]:
    """Everything the run read, did and judged, of JSON types; the same request gives the same trace."""
    state = result.final
    return {
        "request": {"id": state.request.id, "query": state.request.query, "view": state.request.view.name},
        "policy": result.policy,
        "threshold": state.threshold,
        "budget": asdict(state.budget),
        "features": {"terms": state.features.terms, "identifiers": state.features.identifiers},
        "available": state.available,
        "actions": [asdict(action) for action in state.actions],
        "rankings": [asdict(ranking) for ranking in state.rankings],
        "observations": [
            {
                "tool": seen.tool,
                "rank": seen.rank,
                "score": seen.score,
                "reference": asdict(seen.reference),
                "overlap": seen.overlap,
            }
            for seen in state.observations
        ],
        "assessments": [asdict(judgement) for judgement in state.assessments],
        "spent": asdict(state.spent) | {"characters": state.characters},
        "remaining": asdict(state.remaining),
        "stop": str(result.stop),
        "packet": [asdict(reference) for reference in result.packet.references],
    }


def trace_bytes(result: Result) -> bytes:
    """The trace as one line of canonical JSON."""
    return json.dumps(trace(result), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
