from typing import Any

import polars as pl
import pytest
from stoprule.retrieval.controller import Controller
from stoprule.retrieval.figure import plot_study
from stoprule.retrieval.formats import Query
from stoprule.retrieval.record import record
from stoprule.retrieval.recorded import SCHEMA, Recorded
from stoprule.retrieval.report import WARNING, study_report
from stoprule.retrieval.study import Case, EarlyStops, cases, early_stops, packet, policies, stops
from stoprule.retrieval.units import Snapshot
from stoprule.rules.text import parse

# question, coverage, nDCG@4 at rounds 1 and 2, nDCG@3 at rounds 1 and 2
MADE = [
    ("a", 0.9, (0.2, 0.6), (0.3, 0.3)),  # stopped early, another call better at 4, the same at 3
    ("b", 0.8, (0.5, 0.5), (0.5, 0.4)),  # stopped early, the same at 4, worse at 3
    ("c", 1.0, (0.7, 0.1), (0.7, 0.1)),  # stopped early, worse at both
    ("d", 0.5, (0.1, 0.9), (0.0, 0.9)),  # went on, useful
    ("e", 0.4, (0.8, 0.3), (0.8, 0.3)),  # went on, harmful
    ("f", None, (0.0, 0.0), (0.0, 0.0)),  # no term retained: went on, nothing
]


def row(question: str, cell: str, number: int, coverage: float | None, scores: tuple[float, float]) -> dict[str, Any]:
    at4, at3 = scores
    return {
        **dict.fromkeys(SCHEMA),
        "question": question,
        "cell": cell,
        "round": number,
        "packet": f'["{question}{number}"]',
        "coverage": coverage,
        "missing_terms": 1,
        "calls": number,
        "rows": 3 * number,
        "units": 3 * number,
        "characters": 100 * number,
        "ndcg4": at4,
        "ndcg3": at3,
        "recall4": at4,
        "any_relevant": float(at4 > 0),
    }


@pytest.fixture(scope="module")
def made() -> Recorded:
    rounds = [
        row(question, "controller", number, coverage, scores)
        for question, coverage, at4, at3 in MADE
        for number, scores in enumerate(zip(at4, at3, strict=True), start=1)
    ]
    beside = [
        row(question, cell, 1, coverage, (0.5, 0.5)) for question, coverage, *_ in MADE for cell in ("lexical", "dense")
    ]
    return Recorded(pl.DataFrame(rounds, schema=SCHEMA), pl.DataFrame(beside, schema=SCHEMA))


class TestStops:
    def test_worked(self, made: Recorded) -> None:
        """Stop where coverage is at or over 0.8, else at the last round; an unknown one fires nothing."""
        assert stops(made.rounds).rows() == [
            ("a", 1, True, 2),
            ("b", 1, True, 2),
            ("c", 1, True, 2),
            ("d", 2, False, 2),
            ("e", 2, False, 2),
            ("f", 2, False, 2),
        ]

    def test_row_order_is_nothing(self, made: Recorded) -> None:
        """Give the same stops for shuffled rows."""
        assert stops(made.rounds.sample(fraction=1.0, shuffle=True, seed=3)).equals(stops(made.rounds))

    def test_live_runs_stop_there(
        self, controller: Controller, queries: tuple[Query, ...], qrels: Any, view: Snapshot, request_for: Any
    ) -> None:
        """Agree with the live controller on every query of the inventory."""
        stopped = stops(record(controller, queries, qrels, view=view).rounds)
        for question, stop, fired, _ in stopped.iter_rows():
            result = controller.run(request_for(question))
            assert len(result.states) == stop
            assert (result.stop == "proxy_sufficient") == fired


class TestPolicies:
    def test_worked(self, made: Recorded) -> None:
        """Average outcomes and add up costs, each policy by itself."""
        table = {row["policy"]: row for row in policies(made).iter_rows(named=True)}
        assert set(table) == {"lexical", "dense", "adaptive", "always"}
        assert table["adaptive"]["ndcg4"] == pytest.approx((0.2 + 0.5 + 0.7 + 0.9 + 0.3 + 0.0) / 6)
        assert table["always"]["ndcg4"] == pytest.approx((0.6 + 0.5 + 0.1 + 0.9 + 0.3 + 0.0) / 6)
        assert [table[name]["calls"] for name in ("adaptive", "always", "dense", "lexical")] == [9, 12, 6, 6]
        assert table["adaptive"]["rows"] == 27

    def test_any_rules(self, made: Recorded) -> None:
        """Show any rules beside the rest, as text or parsed."""
        table = policies(made, {"never": "coverage > 2", "once": parse("fixed(1)")})
        assert table.filter(pl.col("policy") == "never")["calls"].item() == 12
        assert table.filter(pl.col("policy") == "once")["calls"].item() == 6


class TestEarlyStops:
    def test_at_both_cutoffs(self, made: Recorded) -> None:
        """Count better, same and worse with another call; a question that went on is no early stop."""
        at4 = EarlyStops(outcome="ndcg4", stopped=3, better=1, same=1, worse=1, relevant=3)
        at3 = EarlyStops(outcome="ndcg3", stopped=3, better=0, same=1, worse=2, relevant=3)
        assert early_stops(made) == at4
        assert early_stops(made, outcome="ndcg3") == at3

    def test_none(self, made: Recorded) -> None:
        """Count nothing for a rule that always goes on."""
        assert early_stops(made, "fixed(2)").stopped == 0


class TestCases:
    def test_strongest_of_each_kind(self, made: Recorded) -> None:
        """Find the useful continuation, the premature stop and the harmful continuation."""
        assert [(case.kind, case.question) for case in cases(made)] == [
            ("useful continuation", "d"),
            ("premature stop", "a"),
            ("harmful continuation", "e"),
        ]
        assert cases(made)[0] == Case("useful continuation", "d", 1, 2, 0.9 - 0.1)
        assert packet(made.rounds, "d", 2) == ["d2"]

    def test_only_what_there_is(self, made: Recorded) -> None:
        """Leave out a kind that did not happen."""
        assert [case.kind for case in cases(made, "fixed(1)")] == ["premature stop"]


class TestReport:
    def test_says_what_the_chapter_says(self, made: Recorded) -> None:
        """Show policies, early stops at both cutoffs, cases and the warning."""
        text = study_report(made, locked="coverage >= 0.9")
        assert "| adaptive | 6 |" in text
        assert "| locked | 6 |" in text
        assert "3 early stops; by nDCG@4 another call would have been better at 1, the same at 1, worse at 1" in text
        assert "by nDCG@3 another call would have been better at 0, the same at 1, worse at 2" in text
        assert "3 of the stops already held a relevant unit" in text
        assert WARNING in text
        assert "**Harmful continuation**: query e" in text

    def test_cases_in_full(
        self,
        controller: Controller,
        queries: tuple[Query, ...],
        collection: Any,
        qrels: Any,
        view: Snapshot,
    ) -> None:
        """Show terms, matched terms and grades where the collection is at hand."""
        recorded = record(controller, queries, qrels, view=view)
        text = study_report(recorded, queries=queries, collection=collection, qrels=qrels)
        kinds = [case.kind for case in cases(recorded)]
        assert "useful continuation" in kinds
        useful = next(case for case in cases(recorded) if case.kind == "useful continuation")
        wording = next(query.text for query in queries if query.id == useful.question)
        assert f"“{wording}”" in text
        assert "* terms: " in text
        assert "(grade 2)" in text
        assert " holds " in text


class TestFigure:
    def test_both_panels(self, made: Recorded) -> None:
        """Name every policy on the left, and stand the counts of both cutoffs on the right."""
        left, right = plot_study(made, locked="coverage >= 0.9").axes
        assert {text.get_text() for text in left.texts} == {"lexical", "dense", "adaptive", "always", "locked"}
        assert [text.get_text() for text in right.texts] == ["1", "0", "1", "1", "1", "2"]
