"""Outcomes of a packet against judgements, through ir-measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .formats import Qrels
from .optional import optional

MEASURES = {"ndcg4": "nDCG@4", "ndcg3": "nDCG@3", "recall4": "R@4", "any_relevant": "Success@4"}


def outcomes(run: Mapping[str, Sequence[str]], qrels: Qrels) -> dict[str, dict[str, float]]:
    """Each query's outcomes: ``ndcg4``, ``ndcg3``, ``recall4``, ``any_relevant`` (0 or 1).

    Parameters
    ----------
    run : query -> unit ids
        The packet, best first.
    qrels : query -> unit -> grade

    Notes
    -----
    nDCG takes the grade itself as gain and 1 / log2(rank + 1) as discount (trec_eval's form of Järvelin and
    Kekäläinen, 2002). A query without a relevant unit, or with an empty packet, scores 0 in everything: it stays
    in the mean.
    """
    measures = optional("ir_measures", extra="retrieval")
    names = {measures.parse_measure(text): name for name, text in MEASURES.items()}
    scores: dict[str, dict[str, float]] = {query: dict.fromkeys(MEASURES, 0.0) for query in run}
    # trec_eval orders by score, then by id: falling whole numbers keep the packet's own order
    ranked = {query: {unit: -float(place) for place, unit in enumerate(units)} for query, units in run.items()}
    judged = {query: dict(qrels[query]) for query in run if max(qrels.get(query, {}).values(), default=0) > 0}
    if judged:
        for metric in measures.iter_calc(list(names), judged, {query: ranked[query] for query in judged}):
            scores[metric.query_id][names[metric.measure]] = float(metric.value)
    return scores
