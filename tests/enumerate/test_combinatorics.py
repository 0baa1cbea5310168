"""Subsets and groupings."""

from stoprule.enumerate.combinatorics import growth_strings, partitions, subsets


class TestSubsets:
    def test_by_hand(self):
        """Give small subsets first, items in their order."""
        assert list(subsets("abc")) == [
            ("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("b", "c"), ("a", "b", "c")
        ]  # fmt: skip

    def test_counts(self):
        """Count 63 of 6 and 255 of 8, the published sizes."""
        assert len(list(subsets(range(6)))) == 63
        assert len(list(subsets(range(8)))) == 255


class TestPartitions:
    def test_by_hand(self):
        """Share three items out in five ways."""
        found = {frozenset(map(frozenset, groups)) for groups in partitions("abc")}
        by_hand = ["a b c", "ab c", "ac b", "a bc", "abc"]
        assert found == {frozenset(map(frozenset, text.split())) for text in by_hand}

    def test_bell_numbers(self):
        """Count the Bell numbers, no partition twice."""
        for size, bell in enumerate([1, 1, 2, 5, 15, 52, 203]):
            found = [frozenset(map(frozenset, groups)) for groups in partitions(range(size))]
            assert len(found) == len(set(found)) == bell


class TestGrowthStrings:
    def test_by_hand(self):
        """Name the group of each item, groups in the order in which they appear."""
        assert growth_strings(3).tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]

    def test_same_groupings(self):
        """Hold every partition once."""
        for size in range(1, 7):
            rows = growth_strings(size).tolist()
            found = {frozenset(frozenset(i for i, own in enumerate(row) if own == g) for g in row) for row in rows}
            assert found == {frozenset(map(frozenset, groups)) for groups in partitions(range(size))}
            assert len(rows) == len(found)
