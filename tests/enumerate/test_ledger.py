"""The ledger: what stopping at each round is worth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoprule.enumerate.ledger import ledger
from stoprule.trajectories.roles import Roles
from stoprule.trajectories.table import Trajectories


def table(quality, cost=None, cell=None):
    """A table of ragged rows of quality, in the given cells; the round is the cost unless it is given."""
    length = np.array([len(row) for row in quality])
    rounds = int(length.max())

    def padded(rows):
        return np.array([[*row, *[np.nan] * (rounds - len(row))] for row in rows], dtype=np.float64)

    question = np.array([f"q{i}" for i in range(len(quality))], dtype=object)
    return Trajectories(
        question=question,
        cell=np.array(cell or [""] * len(quality), dtype=object),
        group=question,
        length=length,
        answer=None,
        signals={},
        booleans=frozenset(),
        outcomes={"f1": padded(quality)},
        cost=padded(cost or [range(1, n + 1) for n in length]),
        roles=Roles(quality="f1"),
    )


def figures(book, state):
    """Macro quality, cost and calls, and the count of fired, of one state a trajectory."""
    at = np.arange(len(state)), np.asarray(state)
    return (
        int(book.quality[at].sum()) / book.quality_divisor,
        int(book.cost[at].sum()) / book.cost_divisor,
        int(book.calls[at].sum()) / book.calls_divisor,
        int(book.fired[at].sum()),
    )


@st.composite
def stopped(draw):
    """A ragged table in up to three cells, and a state for each trajectory: a round of its own, or never."""
    length = draw(st.lists(st.integers(1, 4), min_size=3, max_size=12))
    quality = [draw(st.lists(st.integers(0, 8), min_size=n, max_size=n)) for n in length]
    cost = [np.cumsum(draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))).tolist() for n in length]
    cell = sorted(draw(st.lists(st.sampled_from("abc"), min_size=len(length), max_size=len(length))))
    t = table([[q / 8 for q in row] for row in quality], cost, cell)
    state = [draw(st.sampled_from([*range(n), t.rounds])) for n in length]
    return t, state


class TestLedger:
    def test_hand_worked(self):
        """Read column r - 1 when the rule fires at round r, and the last column when it never does."""
        book = ledger(table([[0.0, 1.0], [0.5]], cost=[[10, 30], [20]]))
        assert figures(book, [1, 0]) == (0.75, 25.0, 1.5, 2)
        assert figures(book, [0, 0]) == (0.25, 15.0, 1.0, 2)
        assert figures(book, [book.never, book.never]) == (0.75, 25.0, 1.5, 0)

    def test_macro(self):
        """Give each cell the same weight, however many trajectories it has."""
        book = ledger(table([[1.0], [0.0], [0.0], [0.0]], cell=["a", "b", "b", "b"]))
        assert figures(book, [0, 0, 0, 0])[0] == 0.5

    @given(stopped())
    @settings(max_examples=150, deadline=None)
    def test_equals_naive(self, case):
        """Sum to the mean of cell means of what stands at the stop round."""
        t, state = case
        fired = np.asarray(state) < t.rounds
        stop = np.where(fired, state, t.length - 1)
        rows = np.arange(len(t))
        expected = [
            np.mean([values[t.cell == cell].mean() for cell in t.cell_names])
            for values in (t.quality[rows, stop], t.cost[rows, stop], stop + 1.0)
        ]
        *means, count = figures(ledger(t), state)
        assert means == pytest.approx(expected, rel=1e-12)
        assert count == fired.sum()

    def test_another_outcome(self):
        """Stand for another outcome of the table when asked, all else alike."""
        t = table([[0.0, 1.0], [0.5]])
        book = ledger(t, 1 - t.quality)
        assert figures(book, [1, 0])[0] == 0.25
        assert figures(book, [1, 0])[1:] == figures(ledger(t), [1, 0])[1:]

    def test_inputs_stay(self):
        """Change no input."""
        t = table([[0.0, 1.0], [0.5]])
        before = t.quality.copy(), t.cost.copy()
        ledger(t)
        np.testing.assert_array_equal(t.quality, before[0])
        np.testing.assert_array_equal(t.cost, before[1])


class TestWords:
    def test_exhausted_stops_where_the_last_round_does(self):
        """Call it one behaviour to fire at the last round and to end there unfired (case 16)."""
        t = table([[0.0, 1.0, 0.0], [0.5], [0.1, 0.2]])
        book = ledger(t)
        last = np.take_along_axis(book.words, (t.length - 1)[None, :, None].repeat(2, axis=0), axis=2)
        assert (book.words[:, :, book.never] == last[:, :, 0]).all()
        assert book.fired[0].tolist() == [1, 1, 1, 0]

    def test_other_stop_rounds_differ(self):
        """Give every trajectory and stop round a word of its own."""
        book = ledger(table([[0.0] * 5] * 200))
        for words in book.words:
            assert len(np.unique(words[:, :-1])) == 1000

    def test_fixed(self):
        """Draw the same words each time, whatever the values, and leave the global generator alone."""
        state = np.random.get_state()[1].copy()  # noqa: NPY002
        one, other = ledger(table([[0.0, 1.0]] * 3)), ledger(table([[0.3, 0.2]] * 3))
        assert (one.words == other.words).all()
        assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
