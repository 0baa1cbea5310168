import pytest
from stoprule.retrieval.errors import RetrievalError
from stoprule.retrieval.units import Collection, LiveView, Snapshot, Unit, eligible


class TestUnit:
    def test_revision_follows_content(self) -> None:
        """Give another text another revision, and the same text the same."""
        assert Unit("a", "one").revision == Unit("a", "one").revision != Unit("a", "two").revision
        assert Unit("a", "one", revision="r7").revision == "r7"

    def test_repr_shows_no_text(self) -> None:
        """Keep title and text out of repr."""
        shown = repr(Unit("a", "the code of the safe", title="Safe"))
        assert "code" not in shown
        assert "Safe" not in shown

    def test_content(self) -> None:
        """Put the title on a line of its own, and none where there is none."""
        assert Unit("a", "text", title="title").content == "title\ntext"
        assert Unit("a", "text").content == "text"


class TestView:
    def test_revision_must_be_the_same(self) -> None:
        """Show a unit at the granted revision only."""
        old, new = Unit("a", "old"), Unit("a", "new")
        view = Snapshot.of([new])
        assert eligible(new.reference, view)
        assert not eligible(old.reference, view)

    def test_withdrawn_and_granted(self) -> None:
        """Follow the view as it changes."""
        unit = Unit("a", "text")
        view = LiveView("desk", [unit])
        assert eligible(unit.reference, view)
        view.withdraw("a")
        assert not eligible(unit.reference, view)
        view.withdraw("a")
        view.grant(unit)
        assert eligible(unit.reference, view)


class TestCollection:
    def test_order_of_units_is_nothing(self) -> None:
        """Sort by id, so that the fingerprint does not depend on the order of a file."""
        units = [Unit("b", "two"), Unit("a", "one")]
        forth, back = Collection(units), Collection(reversed(units))
        assert [unit.id for unit in forth] == ["a", "b"]
        assert forth.fingerprint == back.fingerprint

    @pytest.mark.parametrize(
        "other",
        [
            [Unit("a", "one"), Unit("b", "too")],
            [Unit("a", "one"), Unit("c", "two")],
            [Unit("a", "one")],
            [Unit("a", "one"), Unit("b", "two", revision="2")],
            [Unit("a", "", title="one"), Unit("b", "two")],
        ],
    )
    def test_fingerprint_sees_every_change(self, other: list[Unit]) -> None:
        """Change with an id, a revision or a content."""
        assert Collection(other).fingerprint != Collection([Unit("a", "one"), Unit("b", "two")]).fingerprint

    def test_twice_the_same_id(self) -> None:
        """Refuse one id for two units, by name."""
        with pytest.raises(RetrievalError, match="unit id 'a' stands for several units"):
            Collection([Unit("a", "one"), Unit("a", "two")])

    def test_empty(self) -> None:
        """Refuse a collection without units."""
        with pytest.raises(RetrievalError, match="holds no unit"):
            Collection([])
