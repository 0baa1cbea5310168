"""Subsets and groupings."""

from stoprule.enumerate.combinatorics import groupings, partitions, subsets


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


class TestGroupings:
    def test_published_count(self):
        """Count 876 groupings of six signals."""
        assert len(list(groupings(range(6)))) == 876
