"""What a stop rule may read after each search: one definition for the recorder and for the live run."""

from __future__ import annotations

from .state import State

SIGNALS = ("coverage", "missing_terms", "identifier_match", "top_score", "gap", "overlap", "new_units")


def signals(state: State) -> dict[str, float | bool | None]:
    """The signals of the last iteration; None where one is not defined.

    Returns
    -------
    coverage, missing_terms, identifier_match
        Of the last assessment: the best unit's share of the retained terms, how many of them it lacks,
        whether it holds every identifier (None when the query names none).
    top_score, gap
        The best score of the last search, and its lead over the second.
    overlap
        Jaccard index of the last ranking and all earlier ones; None at round 1.
    new_units
        Distinct units that the last search added.
    """
    judgement, ranking = state.assessments[-1], state.rankings[-1]
    scores = ranking.scores
    latest = set(ranking.references)
    earlier = {reference for before in state.rankings[:-1] for reference in before.references}
    either = latest | earlier
    return {
        "coverage": judgement.coverage,
        "missing_terms": len(judgement.missing),
        "identifier_match": judgement.identifiers_matched,
        "top_score": scores[0] if scores else None,
        "gap": scores[0] - scores[1] if len(scores) > 1 else None,
        "overlap": len(latest & earlier) / len(either) if len(state.rankings) > 1 and either else None,
        "new_units": state.actions[-1].charge.units,
    }
