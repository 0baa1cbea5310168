"""Optimism by cross-validated choice and out of the bag."""

import numpy as np
import pytest
from stoprule.analysis.bootstrap import strata
from stoprule.analysis.optimism import cross_validated_optimism, out_of_bag_optimism
from stoprule.trajectories.errors import StudyError

from .null_fixture import TRUE_QUALITY, NullFixture, one_cell


def remember(rows):
    """A selection that knows the rows it has seen, and nothing else."""
    return frozenset(rows.tolist())


def recognised(seen, rows):
    return np.array([float(row in seen) for row in rows])


class TestCrossValidatedOptimism:
    def test_rote_learning_is_all_optimism(self):
        """Give a selection figure of 1 and nothing held out where only seen rows count."""
        found = cross_validated_optimism(one_cell(40), remember, recognised, seed=1)
        assert (found.selection, found.held_out, found.optimism) == (1, 0, 1)

    def test_without_a_choice_there_is_none(self):
        """Give exactly 0 where there is but one rule."""
        outcome = np.random.default_rng(1).random(40)
        found = cross_validated_optimism(one_cell(40), lambda _: 0, lambda _, rows: outcome[rows], seed=1)
        assert found.optimism == pytest.approx(0, abs=1e-15)
        assert found.selection == pytest.approx(outcome.mean())

    def test_groups_stay_together_over_cells(self):
        """Hold out all trajectories of a group at once (case 25), and each exactly once a repetition."""
        group = np.array([f"g{i % 20}" for i in range(60)], dtype=object)
        cell = np.repeat(["c", "d", "e"], 20).astype(object)
        held: list[np.ndarray] = []

        def score(_, rows):
            held.append(rows)
            return np.zeros(len(rows))

        found = cross_validated_optimism(strata(cell, group), remember, score, seed=1, repetitions=2)
        folds = held[1:]
        for seen, rows in zip(found.choices, folds, strict=True):
            assert not set(group[list(seen)]) & set(group[rows])
        assert sorted(np.concatenate(folds[:10]).tolist()) == list(range(60))
        assert len(folds) == 20

    def test_strata_are_dealt_over_all_folds(self):
        """Hold out two groups of each cell in every fold where no group is in two."""
        cell = np.repeat(["c", "d"], 20).astype(object)
        groups = strata(cell, np.array([f"q{i:02}" for i in range(40)], dtype=object))
        found = cross_validated_optimism(groups, remember, recognised, seed=1, repetitions=1)
        for seen in found.choices:
            assert np.bincount(np.array(sorted(seen)) // 20).tolist() == [18, 18]

    def test_near_the_truth(self):
        """Come near the true gap of a null study, on average (the long suite has more)."""
        gaps, estimates = [], []
        for i in range(12):
            study = NullFixture.draw(np.random.default_rng(i), 100, cuts=20)
            found = cross_validated_optimism(
                one_cell(100),
                lambda rows, study=study: study.best_within(3.0, rows),
                lambda k, rows, study=study: study.quality[k, rows],
                seed=i,
            )
            gaps.append(found.selection - TRUE_QUALITY)
            estimates.append(found.optimism)
        assert np.mean(gaps) > 0.03
        assert np.mean(estimates) == pytest.approx(np.mean(gaps), abs=0.04)

    def test_the_seed_decides(self):
        """Give the same folds and choices for the same seed, others for another (case 21)."""
        once, again, other = (
            cross_validated_optimism(one_cell(30), remember, recognised, seed=seed) for seed in (1, 1, 2)
        )
        assert once == again
        assert once.choices != other.choices

    def test_refusals(self):
        """Refuse more folds than groups, and one fold."""
        with pytest.raises(StudyError, match="9 groups cannot be dealt into 10 folds"):
            cross_validated_optimism(one_cell(9), remember, recognised, seed=1)
        with pytest.raises(StudyError, match="folds must be a whole number of at least 2"):
            cross_validated_optimism(one_cell(9), remember, recognised, seed=1, folds=1)


class TestOutOfBagOptimism:
    def test_rote_learning_is_all_optimism(self):
        """Give 1 where only seen rows count, in cells of any size."""
        cell = np.repeat(["c", "d"], [2, 30]).astype(object)
        groups = strata(cell, np.array([f"q{i:02}" for i in range(32)], dtype=object))
        assert out_of_bag_optimism(groups, remember, recognised, seed=1, draws=20) == 1

    def test_a_group_drawn_twice_stands_there_twice(self):
        """Give the choice n rows, of which a group's stand there together and as often as it was drawn."""
        group = np.array([f"g{i // 2}" for i in range(20)], dtype=object)
        seen = []
        out_of_bag_optimism(
            strata(np.full(20, "c", dtype=object), group),
            seen.append,
            lambda _, rows: np.zeros(len(rows)),
            seed=1,
            draws=5,
        )
        for rows in seen:
            times = np.bincount(rows, minlength=20)
            assert len(rows) == 20
            assert (times[::2] == times[1::2]).all()
        assert any((np.bincount(rows) > 1).any() for rows in seen)

    def test_biased_upwards(self):
        """Say more than cross-validation does, for the same null studies."""
        bootstrap, folds = [], []
        for i in range(12):
            study = NullFixture.draw(np.random.default_rng(i), 100, cuts=20)
            callables = (
                lambda rows, study=study: study.best_within(3.0, rows),
                lambda k, rows, study=study: study.quality[k, rows],
            )
            bootstrap.append(out_of_bag_optimism(one_cell(100), *callables, seed=i, draws=40))
            folds.append(cross_validated_optimism(one_cell(100), *callables, seed=i).optimism)
        assert np.mean(bootstrap) > np.mean(folds) + 0.01

    def test_a_cell_with_one_group(self):
        """Refuse a cell whose only group is in every bag."""
        groups = strata(np.array(["c", "c", "d"], dtype=object), np.array(["a", "b", "e"], dtype=object))
        with pytest.raises(StudyError, match="nothing out of the bag"):
            out_of_bag_optimism(groups, remember, recognised, seed=1)
