from stoprule.retrieval.assess import PROXY, Assessment, Observation, assess
from stoprule.retrieval.budget import Budget
from stoprule.retrieval.units import Unit
from stoprule.retrieval.words import Features

RESET = Features.of("How is the RX-200 receiver reset?")  # RX-200, receiver, reset


def judged(features: Features, *texts: str, threshold: float = 0.8, budget: Budget | None = None) -> Assessment:
    seen = [Observation.of("lexical", n, 1.0, Unit(f"u{n}", text), features) for n, text in enumerate(texts)]
    return assess(features, seen, Budget() if budget is None else budget, threshold)


class TestObservation:
    def test_is_a_fact_of_its_own(self) -> None:
        """Record passage, exact reference and overlap, and no judgement."""
        unit = Unit("u", "reset of the RX-20 receiver")
        seen = Observation.of("lexical", 1, 2.5, unit, RESET)
        assert (seen.unit, seen.reference, seen.overlap) == (unit, unit.reference, ("receiver", "reset"))
        assert "RX-20 " not in repr(seen)


class TestAssess:
    def test_best_unit(self) -> None:
        """Take the best unit's share, with the terms it holds and lacks."""
        judgement = judged(RESET, "a receiver", "reset of the RX-20 receiver")
        assert judgement.coverage == 2 / 3
        assert judgement.best is not None
        assert judgement.best.unit == "u1"
        assert (judgement.matched, judgement.missing) == (("receiver", "reset"), ("RX-200",))
        assert judgement.identifiers_matched is False
        assert not judgement.sufficient

    def test_units_do_not_add_up(self) -> None:
        """Do not join the halves of a need from two units."""
        assert judged(RESET, "the RX-200", "a receiver").coverage == 1 / 3

    def test_at_the_threshold(self) -> None:
        """Call four terms of five sufficient at 0.8, and not at the next number above it."""
        features = Features.of("one two three four five")
        assert judged(features, "one two three four", threshold=0.8).sufficient
        assert not judged(features, "one two three four", threshold=0.8000000000000002).sufficient

    def test_a_unit_too_long_is_not_assessed(self) -> None:
        """Pass over a unit that would not fit the packet by itself."""
        text = "RX-200 receiver reset"
        assert judged(RESET, text, budget=Budget(packet_characters=len(text))).sufficient
        assert judged(RESET, text, budget=Budget(packet_characters=len(text) - 1)).coverage == 0.0
        assert judged(RESET, text, budget=Budget(packet_units=0)).coverage == 0.0

    def test_earliest_of_equals(self) -> None:
        """Name the earliest of the units that hold as much."""
        judgement = judged(RESET, "receiver", "reset")
        assert judgement.best is not None
        assert judgement.best.unit == "u0"

    def test_nothing_observed(self) -> None:
        """Cover nothing with nothing."""
        judgement = judged(RESET)
        assert (judgement.coverage, judgement.best, judgement.matched) == (0.0, None, ())

    def test_no_term_retained(self) -> None:
        """Leave the coverage of stop words unknown, and never sufficient."""
        judgement = judged(Features.of("what is it"), "what it is", threshold=0.0)
        assert judgement.coverage is None
        assert judgement.identifiers_matched is None
        assert not judgement.sufficient

    def test_names_itself_a_proxy(self) -> None:
        """Say what the figure stands for."""
        assert judged(RESET).proxy == PROXY == "term coverage"
