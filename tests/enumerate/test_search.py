"""The search: candidates, behaviours, front."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from stoprule.analysis.selection import Budget, Utility, select
from stoprule.enumerate.batch import Batch
from stoprule.enumerate.behaviours import Candidates, behaviours, equal_columns
from stoprule.enumerate.cuts import holes, observed
from stoprule.enumerate.figures import Figures
from stoprule.enumerate.ledger import ledger
from stoprule.enumerate.pareto import pareto_mask_naive
from stoprule.enumerate.remarks import atoms_of, idle_atoms
from stoprule.enumerate.replay import replay, replayed
from stoprule.enumerate.search import contenders, search, search_result
from stoprule.enumerate.space import space
from stoprule.enumerate.sweeps import sweep_naive
from stoprule.rules.text import parse
from stoprule.trajectories.errors import SearchError

from ..rules.strategies import rules_strategy, tables_strategy
from ..rules.tables import MISSING, table

SMALL = table(
    answer=[[0, 0, 0], [0, 1, 1], [0, 1, 2]],
    margin=[[0.9, 0.1, 0.2], [0.2, 0.8, 0.1], [0.1, 0.2, 0.3]],
    quality=[[1, 0, 0], [0, 1, 0], [0, 0, 1]],
)


def found(t, *rules):
    return search_result(space([{"rule": rule} for rule in rules], t), t)


def random_table(seed=3, trajectories=60, rounds=5):
    rng = np.random.default_rng(seed)
    shape = trajectories, rounds
    return table(
        answer=rng.integers(-1, 2, shape).tolist(),
        quality=rng.random(shape).tolist(),
        cost=rng.random(shape).cumsum(axis=1).tolist(),
        cells=sorted(rng.choice(["x", "y"], trajectories).tolist()),
        margin=np.where(rng.random(shape) < 0.1, MISSING, rng.random(shape).round(2)).tolist(),
        gap=rng.integers(0, 4, shape).tolist(),
        judged=(rng.random(shape) < 0.5).tolist(),
    )


class TestContenders:
    @given(t=tables_strategy(), budget=st.floats(0, 8), price=st.sampled_from([0, 0.1, 1]))
    @settings(max_examples=60, deadline=None)
    def test_same_choice(self, t, budget, price):
        """A policy chooses from them what it chooses from the search, by the same figures."""
        listed = [
            {"rule": "a > ? & round >= 2", "cuts": [0, 1]},
            {"family": "fixed"},
            {"rule": "a > ?", "cuts": [1, 2]},
        ]
        asked = space([listed[0], {"rule": "round >= ?", "cuts": "exact"}, *listed[1:]], t)
        every, frame = contenders(asked, t), search(asked, t)
        assert set(every["rule"]) >= set(frame["rule"])
        for policy in (Utility(price=price), Budget(max_cost=max(budget, frame["cost"].min()))):
            once, again = select(every, policy), select(frame, policy)
            assert {key: again[key] for key in once} == once


class TestSearch:
    def test_by_hand(self):
        """Give one row a behaviour: cheapest first, then best, with the mean at the stop rounds."""
        frame = found(SMALL, "round >= 1", "margin > 0.5", "round >= 3").frame
        assert frame.columns == [
            "rule",
            "id",
            "family",
            "quality",
            "cost",
            "calls",
            "fired",
            "on_front",
            "stability",
            "equivalents",
        ]
        assert frame.select("rule", "quality", "cost", "fired", "on_front").rows() == [
            ("round >= 1", 1 / 3, 1.0, 3, True),
            ("margin > 0.5", 1.0, 2.0, 2, True),
            ("round >= 3", 1 / 3, 3.0, 3, False),
        ]
        assert frame["id"].to_list() == [parse(text).id for text in frame["rule"]]
        assert frame["stability"].dtype == pl.Float64
        assert frame["stability"].null_count() == 3

    def test_equivalents(self):
        """Name a behaviour after its simplest rule and list the others."""
        result = found(SMALL, "margin > 0.5 | margin > 0.6", "margin > 0.7", "margin >= 0.8", "round >= 1")
        named = result.frame.row(1, named=True)
        assert named["rule"] == "margin > 0.7"
        assert named["equivalents"] == ["margin > 0.5 | margin > 0.6", "margin >= 0.8"]
        assert (result.listed, result.tried, result.distinct) == (4, 4, 2)

    def test_exhausted_like_fired(self):
        """Count firing at the last round and never firing as one behaviour."""
        assert found(SMALL, "round >= 3", "margin > 5").frame.select("rule", "equivalents").rows() == [
            ("margin > 5", ["round >= 3"])
        ]

    def test_sweep_beside_rules(self):
        """Meet a rule that a sweep finds as well just once."""
        entries = [{"rule": "margin > -inf"}, {"rule": "margin > ?", "cuts": "exact"}]
        result = search_result(space(entries, SMALL), SMALL)
        texts = [*result.frame["rule"], *result.frame["equivalents"].explode().drop_nulls()]
        assert len(texts) == len(set(texts)) == result.tried
        assert result.listed == result.tried + 1

    @pytest.mark.parametrize("jobs", [1, 2])
    @pytest.mark.parametrize("chunk", [None, 1, 7])
    def test_same_bytes(self, jobs, chunk):
        """Give the same frame for any number of workers and any size of chunk (case 21)."""
        t = random_table()
        entries = [{"preset": "default"}, {"rule": "judged & margin > ?", "cuts": "exact"}]
        expected = search(space(entries, t), t)
        assert search(space(entries, t), t, jobs=jobs, chunk=chunk).equals(expected)

    def test_front(self):
        """Mark the front by its definition."""
        frame = search(space("default", random_table()), random_table())
        points = frame.select("quality", "cost").to_numpy()
        assert frame["on_front"].to_list() == pareto_mask_naive(points).tolist()

    def test_order(self):
        """Sort by cost, then quality from the best, then atoms, then text."""
        frame = search(space("default", random_table()), random_table())
        atoms = [parse(rule).atoms for rule in frame["rule"]]
        keys = list(zip(frame["cost"], -frame["quality"], atoms, frame["rule"], strict=True))
        assert keys == sorted(keys)

    def test_figures(self):
        """Report what a replay of each rule has."""
        t = random_table()
        for row in search(space("default", t), t).sample(20, seed=1).iter_rows(named=True):
            one = replay(parse(row["rule"]), t)
            by_cell = [one.quality[t.cell == cell].mean() for cell in t.cell_names]
            assert row["quality"] == pytest.approx(np.mean(by_cell))
            assert row["fired"] == one.fired.sum()
            for other in row["equivalents"]:
                assert replay(parse(other), t).stop_round.tolist() == one.stop_round.tolist()

    def test_progress(self):
        """Report every step up to the last."""
        steps = []
        entries = [{"family": "fixed"}, {"rule": "margin > ?", "cuts": "exact"}]
        search(space(entries, SMALL), SMALL, chunk=2, progress=lambda done, of: steps.append((done, of)))
        assert steps == [(2, 4), (3, 4), (4, 4)]

    def test_case_4(self):
        """Refuse a NaN outcome before any front, naming a rule that would read it."""
        t = replace(SMALL, outcomes={"f1": np.where(SMALL.cost == 2, np.nan, 0.0)})
        with pytest.raises(SearchError, match=r"question 'q0', round 2: f1 is nan.*`round >= 2`"):
            found(t, "round >= 1")

    def test_nothing_to_search(self):
        """Say why a space holds no candidate."""
        t = table(flat=[[1, 1]])
        with pytest.raises(SearchError, match=r"holds no candidate.*`flat` is the same value everywhere"):
            search(space({"family": "threshold"}, t), t)
        with pytest.raises(SearchError, match="no trajectory"):
            found(SMALL.take(np.zeros(3, bool)), "round >= 1")
        with pytest.raises(SearchError, match="jobs = 0"):
            search(space("default", SMALL), SMALL, jobs=0)


class TestExactSearch:
    """A search of exact cuts, by sweeps and by the definition."""

    ONE = "repeat(answer) & a > ?", "a <= ? | round >= 3", "change(a) < ? & ~(b < 1)", "total(a > ?, b) > 1"
    TWO = "a > ? & b > ?", "repeat(answer) & a > ? | b < ?", "a >= ? & round >= 2 | b > ?"
    FINITE = (MISSING, -1.0, 0.0, 1.0, 1.0, 2.0, 3.0)

    @staticmethod
    def both_ways(shapes, t):
        entries = space([{"rule": shape, "cuts": "exact"} for shape in shapes], t)
        with pytest.MonkeyPatch.context() as patch:
            fast = search_result(entries, t)
            patch.setattr("stoprule.enumerate.gather.sweep", lambda *given, **_: sweep_naive(*given))
            return fast, search_result(entries, t)

    @given(st.lists(st.sampled_from(ONE), min_size=1, max_size=3, unique=True), tables_strategy(values=FINITE))
    @settings(max_examples=40, deadline=None)
    def test_one_cut(self, shapes, t):
        """Give the same frame."""
        assume(all(len(observed(hole.term, t)) > 1 for shape in shapes for hole in holes(parse(shape))))
        fast, naive = self.both_ways(shapes, t)
        assert fast.frame.equals(naive.frame)
        assert (fast.listed, fast.tried, fast.distinct) == (naive.listed, naive.tried, naive.distinct)

    @given(st.lists(st.sampled_from(TWO), min_size=1, max_size=2, unique=True), tables_strategy(values=FINITE))
    @settings(max_examples=40, deadline=None)
    def test_two_cuts(self, shapes, t):
        """Give the same behaviours with the same figures, and the same front."""
        assume(all(len(observed(hole.term, t)) > 1 for shape in shapes for hole in holes(parse(shape))))
        fast, naive = self.both_ways(shapes, t)
        columns = ["quality", "cost", "calls", "on_front"]
        assert fast.frame.select(columns).sort(columns).equals(naive.frame.select(columns).sort(columns))
        assert fast.distinct == naive.distinct
        stops = [{replay(parse(rule), t).stop_round.tobytes() for rule in each.frame["rule"]} for each in (fast, naive)]
        assert stops[0] == stops[1]


class TestWhatIsLeftOut:
    """Notes on signals that no cut can be read off, and on what a sieve dropped."""

    def test_unusable_signals(self):
        """Report a signal that never varies, is missing throughout, or infinite, by name, and search the others."""
        t = table(
            flat=[[1, 1], [1, 1]],
            absent=[[MISSING, MISSING]] * 2,
            endless=[[1, np.inf], [0, 2]],
            margin=[[0.1, 0.5], [0.5, 0.1]],
        )
        entries = [
            {"rule": "flat > ?", "cuts": "exact"},
            {"rule": "margin > ? & absent > ?", "cuts": "exact"},
            {"rule": "margin > ? | flat > ? & endless > ?", "cuts": "quantiles(3)"},
            {"family": "or_of_ands", "cuts": "quantiles(3)"},
            {"rule": "margin > ?", "cuts": "exact"},
        ]
        result = search_result(space(entries, t), t)
        assert result.notes == (
            "`flat` is the same value everywhere on the selection split: left out",
            "`absent` is missing everywhere on the selection split: left out",
            "`endless` is infinite somewhere on the selection split: left out",
        )
        assert all(parse(rule).signals == {"margin"} for rule in result.frame["rule"])

    def test_sieved(self, monkeypatch):
        """Say of what only the front and the best at each cost are kept, and find the front of all."""
        t = random_table()
        entries = [{"family": "or_of_ands", "cuts": "quantiles(2)"}, {"rule": "gap > ? & margin > ?", "cuts": "exact"}]
        everything = search_result(space(entries, t), t)
        for name in ("expand.MOST_LISTED", "expand.ALL_KEPT", "pairs.ALL_KEPT"):
            monkeypatch.setattr(f"stoprule.enumerate.{name}", 20)
        monkeypatch.setattr("stoprule.enumerate.sieve.STEPS", 5)
        result = search_result(space(entries, t), t)
        assert [note.split(":")[0] for note in result.notes[-2:]] == ["family or_of_ands", "`gap > ? & margin > ?`"]
        assert "the front and the best at each of" in result.notes[-1]
        assert len(result.frame) < len(everything.frame)
        fronts = [each.frame.filter(each.frame["on_front"]) for each in (result, everything)]
        assert fronts[0].select("quality", "cost").equals(fronts[1].select("quality", "cost"))
        assert result.distinct == everything.distinct


class TestBehaviours:
    @given(st.lists(rules_strategy(), min_size=1, max_size=6, unique_by=str), tables_strategy())
    @settings(max_examples=60, deadline=None)
    def test_by_stop_rounds(self, rules, t):
        """Part rules exactly as their stop rounds do."""
        figures = replayed(rules, t, ledger(t))
        candidates = Candidates([Batch.whole(rules, figures)], ["f"])
        found = behaviours(candidates, t)
        expected = {}
        for rule in rules:
            expected.setdefault(replay(rule, t).stop_round.tobytes(), set()).add(str(rule))
        by_text = [frozenset({candidates.texts[i], *found.equivalents.get(i, ())}) for i in found.index.tolist()]
        assert set(by_text) == set(map(frozenset, expected.values()))
        assert len(by_text) == len(expected)

    def test_collision(self):
        """Part rules whose sums are equal by chance: replay decides."""
        rules = [parse(text) for text in ("round >= 1", "round >= 2", "round >= 3", "margin > 5")]
        figures = replace(replayed(rules, SMALL, ledger(SMALL)), behaviour=np.zeros((2, 4), np.uint64))
        found = behaviours(Candidates([Batch.whole(rules, figures)], ["f"]), SMALL)
        assert sorted(found.index.tolist()) == [0, 1, 3]
        assert found.equivalents == {3: ("round >= 3",)}

    def test_equal_columns(self):
        """Group by both words."""
        words = np.array([[1, 1, 2, 1], [5, 6, 5, 5]], dtype=np.uint64)
        alone, groups = equal_columns(words)
        assert sorted(alone.tolist()) == [1, 2]
        assert groups == [[0, 3]]

    def test_candidates(self):
        """Find rule and figures of a candidate across batches."""
        rules = [parse(f"round >= {k}") for k in (1, 2, 3)]
        batches = [Batch.whole(part, replayed(part, SMALL, ledger(SMALL))) for part in (rules[:1], rules[1:])]
        candidates = Candidates(batches, ["f", "g"])
        assert [candidates.rule(i) for i in range(len(candidates))] == rules
        assert isinstance(candidates.figures, Figures)
        assert candidates.figures.cost.tolist() == [1, 2, 3]


class TestIdleAtoms:
    def test_case_32(self):
        """Warn of an atom that is always true: it turns 2 of 3 into 1 of 2."""
        t = table(answer=[[0, 0], [0, 1]], score=[[0.2, 0.9], [0.5, 0.4]], margin=[[0, 1], [1, 0]])
        notes = found(t, "at_least(2, score > 0, repeat(answer), margin > 0.5)", "margin > 7").notes
        assert notes == (
            "`margin > 7` is never true on the selection split: it adds nothing to a rule",
            "`score > 0` is always true on the selection split: it adds nothing to a rule",
        )

    def test_condition_of_a_sweep(self):
        """Warn of the conditions of a shape that is swept."""
        entry = {"rule": "margin < 7 & gap > ?", "cuts": "exact"}
        t = random_table()
        notes = search_result(space(entry, t), t).notes
        assert not notes  # missing at some rounds, hence not always true
        assert (
            "`gap < 7` is always true" in search_result(space({**entry, "rule": "gap < 7 & margin > ?"}, t), t).notes[0]
        )

    def test_meant_that_way(self):
        """Let conditions on the round, and always and never by name, pass."""
        rules = [parse(text) for text in ("round >= 1", "margin > -inf", "margin > inf", "cost < 0")]
        assert idle_atoms(rules, SMALL) == []

    def test_atoms(self):
        """Find the atoms inside totals, counts and negations."""
        rule = parse("total(a > 1, b) > 1 | at_least(1, missing(c), ~repeat(answer))")
        assert {str(atom) for atom in atoms_of(rule)} == {
            "total(a > 1, b) > 1",
            "a > 1",
            "missing(c)",
            "repeat(answer)",
        }
