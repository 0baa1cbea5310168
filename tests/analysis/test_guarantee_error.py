"""The whole guarantee simulated: how often is a rule locked that truly loses max_loss or more?

The long suite. Every study draws questions from one population, so that the true loss of any rule is known; the search
is the real one: cuts, front and order from the choosing third, the tests on the rest.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from stoprule.analysis.guarantee import Guarantee, Trial, parts, sequence
from stoprule.enumerate.replay import replay
from stoprule.enumerate.search import search
from stoprule.enumerate.space import space
from stoprule.rules.expression import Rule
from stoprule.rules.text import parse
from stoprule.trajectories.table import Trajectories

from .loss_families import limit

pytestmark = pytest.mark.long

STUDIES = 2_000
ROUNDS = 4
MANY = 20_000
POLICY = Guarantee(max_loss=0.05, alpha=0.1, of=f"fixed({ROUNDS})")
SEARCH = [
    {"rule": "a > ?", "cuts": "exact"},
    {"rule": "a > ? & b > ?", "cuts": "quantiles(5)"},
    {"rule": "b > ?", "cuts": "quantiles(9)"},
]


def at_the_boundary(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Signals that know nothing and fire before the last round; whoever stops there loses exactly .05."""
    a, b = rng.random((2, MANY, ROUNDS))
    a[:, -2] = b[:, -2] = 2.0
    right = rng.random((MANY, ROUNDS)) < 0.5
    lost = rng.permutation(np.arange(MANY) < round(0.05 * MANY))
    right[:, :-1] = right[:, [-1]] & ~lost[:, None]  # one answer at every earlier round
    excess = right[:, -1].mean() - right[:, 0].mean()
    fill = np.flatnonzero(right[:, -1] & right[:, 0])[: round((0.05 - excess) * MANY)]
    right[fill, :-1] = False
    return a, b, right


def across_it(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Signals that tell a little of outcomes which grow with the rounds: losses from nothing to a third."""
    ready = rng.integers(1, ROUNDS + 3, (MANY, 1))
    right = (np.arange(1, ROUNDS + 1) >= ready) & (rng.random((MANY, ROUNDS)) < 0.9)
    a, b = right * 1.2 + rng.normal(size=(2, MANY, ROUNDS))
    return a, b, right


class Population:
    """Questions to draw from, and what every rule truly loses."""

    def __init__(self, made: tuple[np.ndarray, ...], build) -> None:
        a, b, right = made
        self.table: Trajectories = build(
            right.astype(float).tolist(), signals={"a": a.tolist(), "b": b.tolist()}, declared=(0.0, 1.0)
        )
        self.true_loss = cache(self._true_loss)

    def _true_loss(self, rule: Rule) -> float:
        return float((replay(parse(POLICY.of), self.table).quality - replay(rule, self.table).quality).mean())

    def study(self, rng: np.random.Generator, n: int) -> Trajectories:
        """n questions with names of their own."""
        drawn = self.table.take(np.sort(rng.integers(0, MANY, n)))
        return replace(drawn, question=NAMES[:n], group=NAMES[:n])


NAMES = np.array([f"q{i:04}" for i in range(1000)], dtype=object)


def locked(t: Trajectories) -> tuple[Rule, int]:
    """The answer of a guarantee, and how many rules were certified."""
    trial = Trial(POLICY, parts(t))
    choosing = trial.parts.choosing
    front = sequence(search(space([*SEARCH, {"rule": POLICY.of}], choosing), choosing))
    passed = trial.passed(trial.run(front))
    return (passed[-1] if passed else trial.of), len(passed)


@pytest.mark.parametrize(("made", "n"), [(at_the_boundary, 150), (at_the_boundary, 450), (across_it, 450)])
class TestWholeGuarantee:
    def test_error(self, made, n, table):
        """Lock a rule that truly loses max_loss or more in at most alpha of 2,000 studies, by the usual limit."""
        population = Population(made(np.random.default_rng(2024)), table)
        rng = np.random.default_rng(n)
        wrong = certified = 0
        for _ in range(STUDIES):
            rule, count = locked(population.study(rng, n))
            certified += count > 0
            wrong += population.true_loss(rule) >= POLICY.max_loss - 1e-9
        print(f"\n{made.__name__}, n = {n}: {wrong / STUDIES:.4f} wrong, {certified / STUDIES:.4f} certified")
        assert wrong / STUDIES <= limit(POLICY.alpha, STUDIES)
        assert certified / STUDIES > 0.5


class TestBoundary:
    def test_the_boundary(self, table):
        """Lose exactly max_loss wherever a rule stops before the last round of the null population."""
        population = Population(at_the_boundary(np.random.default_rng(2024)), table)
        for text in ("round >= 1", "a > 0.7", "a > 0.3 & b > 0.9"):
            assert population.true_loss(parse(text)) == pytest.approx(POLICY.max_loss)
