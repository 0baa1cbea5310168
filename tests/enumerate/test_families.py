"""Families of candidates."""

import pytest
from stoprule.enumerate.families import FAMILIES, atoms

from ..rules.tables import table

TABLE = table(
    answer=[[0, 0, 1, 1, 1]],
    margin=[[3, 2, 1, 0, 5]],
    overlap=[[0, 0.1, 0.2, 0.3, 1]],
    judged=[[True, False, True, True, None]],
)


def family(name, t=TABLE):
    return [str(rule) for rule in FAMILIES[name](atoms(t))]


class TestAtoms:
    def test_kinds(self):
        """Part numbers, Booleans, votes within 0..1 and streaks; sort by name."""
        a = atoms(TABLE)
        assert [str(term) for term in a.terms] == ["margin", "overlap"]
        assert [str(flag) for flag in a.flags] == ["judged"]
        assert [str(term) for term in a.votes] == ["overlap"]
        assert [str(streak) for streak in a.streaks] == [
            "repeat(answer)",
            "streak(answer, 3)",
            "streak(answer, 4)",
        ]

    def test_without(self):
        """Leave out what is asked to be left out, and streaks where there is no answer."""
        a = atoms(table(margin=[[1, 2]], overlap=[[0, 1]]), without=["margin"])
        assert [str(term) for term in a.terms] == ["overlap"]
        assert a.streaks == a.repeat == ()


class TestFamilies:
    @pytest.mark.parametrize(
        ("name", "first", "count"),
        [
            ("fixed", ["round >= 1", "round >= 2"], 5),
            ("threshold", ["margin > ?", "margin < ?"], 5),
            ("and", ["repeat(answer)", "margin > ?"], 15),
            ("or", ["repeat(answer)", "margin > ?"], 15),
            ("or_of_ands", ["repeat(answer)", "margin > ?"], 51),
            ("at_least", ["at_least(2, margin > ?, overlap > ?, repeat(answer))"], 4 * 1 + 2),
            ("guard", ["margin > ? & repeat(answer)", "overlap > ? & repeat(answer)"], 9),
            ("round_aware", ["(margin > ? & round == 1) | repeat(answer)"], 3),
            ("soft_total", ["total(judged, repeat(answer)) > ?"], 4),
            ("give_up", ["margin < ? & round >= 2", "overlap < ? & round >= 2"], 6),
        ],
    )
    def test_by_hand(self, name, first, count):
        """Begin as written down and count as many."""
        found = family(name)
        assert found[: len(first)] == first
        assert len(found) == len(set(found)) == count

    def test_or_of_ands_of_six(self):
        """Count 876 groupings of six atoms, all different rules."""
        t = table(answer=[[0, 0]], **{name: [[1, 2]] for name in "abcde"})
        assert len(set(family("or_of_ands", t))) == 876

    def test_without_answer(self):
        """Have nothing to guard where there is no answer."""
        t = table(margin=[[1, 2, 3]])
        assert family("guard", t) == family("round_aware", t) == []
        assert family("and", t) == ["margin > ?"]
