"""Non-inferiority within a margin that was declared before the look."""

import numpy as np
import pytest
from stoprule.analysis.betting import Bet, betting_p
from stoprule.analysis.noninferiority import declare, non_inferiority, unit_losses
from stoprule.analysis.units import ranked
from stoprule.rules.named import fixed
from stoprule.trajectories.errors import StudyError


def right(first, last, **kinds):
    """Rows of two rounds: right at the first only, right at the last only, and alike."""
    return [[1.0, 0.0]] * first + [[0.0, 1.0]] * last + [[1.0, 1.0]] * kinds["alike"]


class TestDeclare:
    def test_by_hand(self, table):
        """The loss of fixed(1) against fixed(2) on ten questions: 2 lost, 1 gained."""
        t = table(right(1, 2, alike=7), declared=(0, 1))
        found = declare(t, fixed(1), of=fixed(2), margin=0.05, alpha=0.1)
        assert (found.of, found.largest, found.units) == ("round >= 2", 1, 10)
        assert found.mean == pytest.approx(0.1)
        assert found.variance == pytest.approx(0.3 - 0.01)

    def test_rare_losses_do_not_make_bets_endless(self, table):
        """The variance counts at least two losses, as the recipe says."""
        t = table(right(0, 0, alike=50), declared=(0, 1))
        assert declare(t, fixed(1), of=fixed(2), margin=0.05, alpha=0.1).variance == pytest.approx(2 / 50)

    def test_mistakes(self, table):
        """A margin needs a range, and is a loss that can be exceeded."""
        with pytest.raises(StudyError, match=r"needs data\.range"):
            declare(table([[1.0, 0.0]]), fixed(1), of=fixed(2), margin=0.05, alpha=0.1)
        for margin in (-0.1, 1.0):
            with pytest.raises(StudyError, match=r"margin|max_loss"):
                declare(table([[1.0, 0.0]], declared=(0, 1)), fixed(1), of=fixed(2), margin=margin, alpha=0.1)
        with pytest.raises(StudyError, match="alpha"):
            declare(table([[1.0, 0.0]], declared=(0, 1)), fixed(1), of=fixed(2), margin=0.1, alpha=1.0)


class TestTest:
    def test_the_check_vector_of_the_recipe(self, table):
        """Forty losses of 0, a = 0, v = .05, m = .05, alpha = .1: p = 0.1570438674."""
        selection, final = (table(right(0, 0, alike=n), declared=(0, 1)) for n in (40, 40))
        entry = declare(selection, fixed(1), of=fixed(2), margin=0.05, alpha=0.1).to_dict()
        found = non_inferiority(final, fixed(1), entry)
        assert found.p == pytest.approx(0.1570438674, abs=1e-10)
        assert not found.shown

    def test_shown_and_not_shown(self, table):
        """Many questions without a loss show it; a rule that loses a tenth does not."""
        selection = table(right(2, 2, alike=60), declared=(0, 1))
        entry = declare(selection, fixed(1), of=fixed(2), margin=0.05, alpha=0.05).to_dict()
        assert non_inferiority(table(right(3, 3, alike=300), declared=(0, 1)), fixed(1), entry).shown
        worse = non_inferiority(table(right(0, 40, alike=300), declared=(0, 1)), fixed(1), entry)
        assert (worse.shown, worse.loss) == (False, pytest.approx(40 / 340))

    def test_bets_on_the_selection_split_and_a_fixed_order(self, table):
        """Equal the recipe on losses ordered by hash of the question's id, sized by the selection split."""
        rng = np.random.default_rng(5)
        selection = table(rng.integers(0, 2, (40, 2)).astype(float).tolist(), declared=(0, 1))
        final = table(rng.integers(0, 2, (60, 2)).astype(float).tolist(), declared=(0, 1))
        entry = declare(selection, fixed(1), of=fixed(2), margin=0.3, alpha=0.1).to_dict()
        loss = dict(zip(final.group, final.quality[:, 1] - final.quality[:, 0], strict=True))
        ordered = np.array([loss[one] for one in ranked("certify", final.group)])
        chosen = selection.quality[:, 1] - selection.quality[:, 0]
        bet = Bet(chosen.mean(), chosen.var())
        expected = betting_p(ordered, max_loss=0.3, alpha=0.1, bet=bet)
        assert non_inferiority(final, fixed(1), entry).p == pytest.approx(expected, rel=1e-12)

    def test_cells_of_one_question_are_one_loss(self, table):
        """The unit is the question, its loss the mean over cells: the mean is the macro difference."""
        t = table(
            [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 1.0]],
            cell=["x", "x", "y", "y"],
            question=["a", "b"] * 2,
            declared=(0, 1),
        )
        losses, units = unit_losses(t, fixed(1), fixed(2))
        assert sorted(losses.tolist()) == [0.0, 0.5]
        assert str(units) == "2 groups, each the mean over its cells"
