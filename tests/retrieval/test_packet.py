from hypothesis import given
from hypothesis import strategies as st
from stoprule.retrieval.budget import Budget
from stoprule.retrieval.packet import SEPARATOR, pack
from stoprule.retrieval.units import LiveView, Unit


def of_lengths(*lengths: int) -> list[Unit]:
    return [Unit(f"u{place}", "x" * length) for place, length in enumerate(lengths)]


class TestPack:
    def test_separators_count(self) -> None:
        """Fill 10 characters with 4 + 2 + 4, and no more with 4 + 2 + 5."""
        budget = Budget(packet_characters=10)
        assert len(pack(of_lengths(4, 4), budget).units) == 2
        assert len(pack(of_lengths(4, 5), budget).units) == 1

    def test_passes_over_what_does_not_fit(self) -> None:
        """Take the next unit that fits whole after one that does not."""
        packet = pack(of_lengths(6, 8, 2), Budget(packet_characters=10))
        assert [unit.id for unit in packet.units] == ["u0", "u2"]

    def test_at_most_four(self) -> None:
        """Stop at the number of units."""
        assert len(pack(of_lengths(1, 1, 1, 1, 1), Budget()).units) == 4

    @given(st.lists(st.integers(0, 60), max_size=9), st.integers(0, 5), st.integers(0, 100))
    def test_never_over_its_limits(self, lengths: list[int], most: int, characters: int) -> None:
        """Hold whole units in the given order, within both limits, for any units and limits."""
        units = of_lengths(*lengths)
        packet = pack(units, Budget(packet_units=most, packet_characters=characters))
        assert len(packet.units) <= most
        assert len(packet.text) <= characters
        assert packet.text == SEPARATOR.join(unit.content for unit in packet.units)
        places = [units.index(unit) for unit in packet.units]
        assert places == sorted(places)


class TestPacket:
    def test_recheck(self) -> None:
        """Lose a withdrawn unit and keep the rest."""
        units = of_lengths(3, 3)
        packet, view = pack(units, Budget()), LiveView("desk", units)
        view.withdraw("u0")
        assert packet.rechecked(view).units == (units[1],)
        assert len(packet.units) == 2

    def test_repr_shows_ids_only(self) -> None:
        """Name the units in repr without their texts."""
        assert repr(pack([Unit("a", "secret")], Budget())) == "Packet(a)"
