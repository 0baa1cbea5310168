import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stoprule.retrieval import words
from stoprule.retrieval.words import STOP_WORDS, Features, content_words, is_identifier, tokenise


class TestTokenise:
    @pytest.mark.parametrize(
        ("text", "tokens"),
        [
            ("Reset the RX-200.", ["reset", "the", "RX-200"]),
            ("GIMP-2.10, not GIMP-2.1", ["GIMP-2.10", "not", "GIMP-2.1"]),
            ("RX-200-B (RX-200/B)", ["RX-200-B", "RX-200", "b"]),
            ("two-dimensional flow at Mach 2.5", ["two", "dimensional", "flow", "at", "mach", "2.5"]),
            ("3-d wings, e.g. delta", ["3", "d", "wings", "e", "g", "delta"]),
            ("BT\u20117 and BT\u22127", ["BT-7", "and", "BT-7"]),
            ("", []),
        ],
    )
    def test_worked(self, text: str, tokens: list[str]) -> None:
        """Keep identifiers whole and as written, part everything else at hyphens."""
        assert tokenise(text) == tokens

    def test_identifier_case(self) -> None:
        """Take another case for another identifier, but for the same word."""
        assert tokenise("rx-200 RX-200 Reset RESET") == ["rx-200", "RX-200", "reset", "reset"]

    @given(st.text())
    def test_hyphen_marks_identifiers(self, text: str) -> None:
        """Keep a hyphen in identifiers only; give no empty token."""
        tokens = tokenise(text)
        assert all(tokens)
        assert all(any(letter.isdigit() or letter.isnumeric() for letter in t) for t in tokens if is_identifier(t))

    @given(st.lists(st.text(st.sampled_from("aAé1٣½-.\u2011\u2212_ ßⅣ"), max_size=12)).map(" ".join))
    def test_agrees_with_the_definition(self, text: str) -> None:
        """Ask of every run whether it is an identifier, and find the same."""
        folded = unicodedata.normalize("NFKC", text).translate(words._DASHES)
        parted = (
            [run] if words._IDENTIFIER.fullmatch(run) else run.casefold().split("-")
            for run in words._RUN.findall(folded)
        )
        assert tokenise(text) == [token for tokens in parted for token in tokens]

    def test_stop_list_is_small(self) -> None:
        """Drop function words alone; the list is short enough to be read."""
        assert len(STOP_WORDS) < 100
        assert content_words("what is the way out of the cold store") == ["way", "out", "cold", "store"]


class TestFeatures:
    def test_distinct_in_order(self) -> None:
        """Retain each term once, in the order of the query."""
        features = Features.of("RX-200 reset: does the reset of the RX-200 clear channels?")
        assert features.terms == ("RX-200", "reset", "clear", "channels")
        assert features.identifiers == ("RX-200",)

    def test_identifier_trap(self) -> None:
        """Do not find RX-200 where RX-20 stands, nor the other way round."""
        assert Features.of("RX-200").held_by("the RX-20 receiver") == ()
        assert Features.of("RX-20").held_by("the RX-200 receiver") == ()
        assert Features.of("RX-20").held_by("(RX-20)") == ("RX-20",)
