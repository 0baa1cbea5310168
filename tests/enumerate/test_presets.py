"""Presets: the default space and the two published enumerations."""

import numpy as np
import pytest
from stoprule.enumerate.cuts import Given
from stoprule.enumerate.presets import EIGHT, SIX, default, tasr_381, tasr_876
from stoprule.enumerate.search import search_result
from stoprule.enumerate.space import space
from stoprule.trajectories.errors import SearchError

from ..rules.tables import table

PUBLISHED = sorted({*SIX, *EIGHT} - {"answer_stable"})


def random_table(names, *, trajectories=40, rounds=5, answer=True, flags=(), seed=7):
    """Uniform signals and answers that often repeat."""
    rng = np.random.default_rng(seed)
    shape = trajectories, rounds
    columns = {name: rng.random(shape).round(3).tolist() for name in names}
    columns |= {name: (rng.random(shape) < 0.5).tolist() for name in flags}
    return table(
        answer=rng.integers(0, 3, shape).tolist() if answer else None,
        quality=rng.integers(0, 2, shape).tolist(),
        **columns,
    )


def tried(t, name):
    return search_result(space(name, t), t)


class TestDefault:
    def test_several_hundred(self):
        """Yield several hundred candidates from six signals, of every kind."""
        found = tried(random_table(["margin", "confidence", "coverage", "overlap", "gap", "cal"]), "default")
        assert 300 < found.tried < 1000
        assert found.distinct > 300
        assert set(found.frame["family"]) == {
            "fixed",
            "streak",
            "threshold",
            "guard",
            "round_aware",
            "give_up",
            "and",
            "or",
            "at_least",
            "soft_total",
        }

    def test_deterministic(self):
        """Be the same for any order of the signals."""
        signals = {"margin": [[0.1, 0.2, 0.4]], "gap": [[1, 2, 3]], "conf": [[0.3, 0.2, 0.9]]}
        assert default(table(**signals)) == default(table(**dict(reversed(signals.items()))))

    def test_without_answer(self):
        """Do without the answer, and say so."""
        found = tried(random_table(["margin", "gap"], answer=False), "default")
        assert not any("answer" in rule for rule in found.frame["rule"])
        assert any("role of the answer" in note for note in found.notes)

    def test_left_out(self):
        """Leave out what is constant, missing or infinite, and name it."""
        t = random_table(["margin"])
        t = t.with_signal("flat", np.where(t.recorded, 1.0, np.nan))
        t = t.with_signal("gone", np.full(t.cost.shape, np.nan))
        t = t.with_signal("huge", np.where(t.cost > 2, np.inf, 1.0))
        found = tried(t, "default")
        reasons = {"flat": "the same value everywhere", "gone": "missing everywhere", "huge": "infinite somewhere"}
        for name, reason in reasons.items():
            assert f"`{name}` is {reason} on the selection split: left out" in found.notes
            assert not any(name in rule for rule in found.frame["rule"])

    def test_flags(self):
        """Take Boolean signals as atoms."""
        found = tried(random_table(["margin"], flags=["judged"]), "default")
        assert "judged" in set(found.frame["rule"])

    def test_nothing_but_rounds(self):
        """Search fixed depths and streaks where there is no signal at all."""
        t = table(answer=[[0, 0, 1]], quality=[[0, 1, 0]], flat=[[1, 1, 1]])
        assert set(tried(t, "default").frame["family"]) <= {"fixed", "streak"}


class TestPublished:
    def test_381(self):
        """List 381 rules, 344 of them distinct."""
        found = tried(random_table(PUBLISHED), "tasr-381")
        assert (found.listed, found.tried) == (381, 344)

    def test_876(self):
        """List 876 rules, all distinct."""
        found = tried(random_table(PUBLISHED), "tasr-876")
        assert (found.listed, found.tried) == (876, 876)

    def test_flags(self):
        """Take a Boolean signal as it is; the counts stay."""
        numbers = [name for name in PUBLISHED if name != "answer_in_evidence"]
        found = tried(random_table(numbers, flags=["answer_in_evidence"]), "tasr-381")
        assert (found.listed, found.tried) == (381, 344)
        assert "answer_in_evidence" in {*found.frame["rule"], *found.frame["equivalents"].explode()}

    def test_cuts(self):
        """Take other cuts where they are asked for."""
        t = random_table(PUBLISHED)
        (family,) = tasr_876(t, Given((0.5,))).families
        assert family.cuts == Given((0.5,))
        assert {family.cuts for family in tasr_381(t).families} == {space("tasr-876", t).families[0].cuts}

    def test_absent(self):
        """Name the columns that are absent."""
        with pytest.raises(SearchError, match=r"tasr-876 reads the signals gap,.*did you mean 'gaps'"):
            tried(random_table([name for name in PUBLISHED if name != "gap"] + ["gaps"]), "tasr-876")
        with pytest.raises(SearchError, match=r"answer_stable.*name the column of the answer"):
            tried(random_table(PUBLISHED, answer=False), "tasr-876")
