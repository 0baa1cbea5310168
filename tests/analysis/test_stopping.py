"""Figures of rules by cell, from which the report draws: by hand, and equal to a replay."""

import numpy as np
import polars as pl
import pytest
from stoprule.analysis.baselines import oracle
from stoprule.analysis.stopping import stopping_frame
from stoprule.enumerate.replay import replay
from stoprule.rules.named import fixed
from stoprule.rules.text import parse
from stoprule.trajectories.reading import read_trajectories


def table(rows):
    """Trajectories of (cell, question, margins, qualities)."""
    return read_trajectories(
        pl.DataFrame(
            [
                {"cell": cell, "question": q, "round": r, "margin": margin, "quality": quality}
                for cell, q, margins, qualities in rows
                for r, (margin, quality) in enumerate(zip(margins, qualities, strict=True), start=1)
            ]
        )
    )


class TestStoppingFrame:
    def test_counts_stops_and_means_by_cell(self):
        """In cell a one question fires at round 2 and one is exhausted at round 1; in b one fires at once."""
        t = table(
            [
                ("a", "q1", [0.1, 0.9, 0.9], [0.0, 1.0, 0.0]),
                ("a", "q2", [0.2], [0.5]),
                ("b", "q1", [0.8, 0.1], [0.25, 1.0]),
            ]
        )
        assert stopping_frame([parse("margin > 0.5")], t, beside=[oracle(t)]).to_dicts() == [
            {
                "rule": "margin > 0.5",
                "cell": "a",
                "n": 2,
                "quality": 0.75,
                "cost": 1.5,
                "calls": 1.5,
                "fired": 1,
                "stops": [1, 1, 0],
            },
            {
                "rule": "margin > 0.5",
                "cell": "b",
                "n": 1,
                "quality": 0.25,
                "cost": 1.0,
                "calls": 1.0,
                "fired": 1,
                "stops": [1, 0, 0],
            },
            {
                "rule": "oracle",
                "cell": "a",
                "n": 2,
                "quality": 0.75,
                "cost": 1.5,
                "calls": 1.5,
                "fired": 2,
                "stops": [1, 1, 0],
            },
            {
                "rule": "oracle",
                "cell": "b",
                "n": 1,
                "quality": 1.0,
                "cost": 2.0,
                "calls": 2.0,
                "fired": 1,
                "stops": [0, 1, 0],
            },
        ]

    def test_agrees_with_a_replay_of_each_rule(self):
        """Means over a cell of what `replay` gives by trajectory, for several rules at once."""
        rng = np.random.default_rng(0)
        t = table(
            [
                (cell, f"q{q}", rng.integers(0, 4, n).astype(float), rng.random(n))
                for cell in "abc"
                for q in range(20)
                for n in [rng.integers(1, 6)]
            ]
        )
        rules = [parse("margin > 1"), parse("margin >= 3"), fixed(2)]
        frame = stopping_frame(rules, t)
        for rule in rules:
            one = replay(rule, t)
            for cell, n, quality, cost, calls, fired, stopped in (
                frame.filter(rule=str(rule))
                .select("cell", "n", "quality", "cost", "calls", "fired", "stops")
                .iter_rows()
            ):
                mine = t.cell == cell
                assert n == mine.sum()
                assert quality == pytest.approx(one.quality[mine].mean())
                assert cost == pytest.approx(one.cost[mine].mean())
                assert calls == pytest.approx(one.stop_round[mine].mean())
                assert fired == one.fired[mine].sum()
                assert stopped == [int((one.stop_round[mine] == r).sum()) for r in range(1, t.rounds + 1)]

    def test_has_its_columns_without_a_rule(self):
        """No rule, no row."""
        assert stopping_frame([], table([("a", "q", [1.0], [1.0])])).columns[-1] == "stops"
